// The inference servers and hosted APIs that rubato tells apart, as a closed set: the names are what a
// user configures, what stands on the span and what evidence is chosen by.

/** Services of somebody else, whose servers nobody here can look at. */
export const HOSTED_ENGINES = [
  'openai',
  'azure-openai',
  'anthropic',
  'gemini',
  'cohere',
  'bedrock',
  'mistral',
  'deepseek',
  'groq',
  'cerebras',
  'fireworks',
  'together',
  'openrouter',
] as const;

export const ENGINES = [
  'vllm',
  'sglang',
  'tgi',
  'llama.cpp',
  'ollama',
  'tensorrt-llm',
  'triton',
  'dynamo',
  'lmdeploy',
  'kserve',
  'nim',
  ...HOSTED_ENGINES,
] as const;
export type EngineName = (typeof ENGINES)[number];

/**
 * How an engine was recognised, surest first: by configuration, by a sign in this answer's body or
 * head, by what this route's engine showed in earlier answers, by the names of its metrics.
 */
export const ENGINE_SIGNS = ['configured', 'body', 'head', 'earlier', 'metrics'] as const;
export type EngineSign = (typeof ENGINE_SIGNS)[number];

/** Which engine answered, and how that is known. */
export interface EngineFacts {
  readonly name: EngineName;
  readonly by: EngineSign;
  /** Version as the engine states it (`b10573`, `0.28.0`), at most 32 characters. */
  readonly version?: string;
}
