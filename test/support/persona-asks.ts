// One request for every route that a persona of the reference engine has, in the words of its dialect:
// a prompt of so many characters, an answer of so many tokens, and every switch on that makes it tell more.
import type { PersonaName } from '../../src/client/reference-engine/personas.ts';

export interface AskParts {
  readonly prompt: string;
  readonly maxTokens: number;
  /** Default true; Gemini, Bedrock and others ask for a stream by the path. */
  readonly stream?: boolean;
}

export interface PersonaAsk {
  readonly path: string;
  readonly body: object;
}

type Asker = (parts: AskParts) => PersonaAsk;

const MODEL = 'm';

function messages({ prompt }: AskParts): object {
  return { messages: [{ role: 'user', content: prompt }] };
}

function chatAt(path: string, more: object = {}): Asker {
  return (parts) => {
    const { maxTokens, stream = true } = parts;
    const options = stream ? { stream_options: { include_usage: true } } : {};
    return { path, body: { model: MODEL, stream, max_tokens: maxTokens, ...messages(parts), ...options, ...more } };
  };
}

const chat = chatAt('/v1/chat/completions');

const completions: Asker = ({ prompt, maxTokens, stream = true }) => ({
  path: '/v1/completions',
  body: { model: MODEL, stream, max_tokens: maxTokens, prompt, stream_options: { include_usage: true } },
});

const responses: Asker = ({ prompt, maxTokens, stream = true }) => ({
  path: '/v1/responses',
  body: { model: MODEL, stream, max_output_tokens: maxTokens, input: prompt },
});

const messagesRoute: Asker = (parts) => ({
  path: '/v1/messages',
  body: { model: MODEL, stream: parts.stream ?? true, max_tokens: parts.maxTokens, ...messages(parts) },
});

function gemini(query: string): Asker {
  return ({ prompt, maxTokens, stream = true }) => ({
    path: `/v1beta/models/${MODEL}:${stream ? 'streamGenerateContent' : 'generateContent'}${query}`,
    body: {
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      generationConfig: { maxOutputTokens: maxTokens },
    },
  });
}

const cohere: Asker = (parts) => ({
  path: '/v2/chat',
  body: { model: MODEL, stream: parts.stream ?? true, max_tokens: parts.maxTokens, ...messages(parts) },
});

const ollamaChat: Asker = (parts) => ({
  path: '/api/chat',
  // It streams unless told not to.
  body: {
    model: MODEL,
    ...messages(parts),
    options: { num_predict: parts.maxTokens },
    ...(parts.stream === false ? { stream: false } : {}),
  },
});

const ollamaGenerate: Asker = ({ prompt, maxTokens, stream }) => ({
  path: '/api/generate',
  body: { model: MODEL, prompt, options: { num_predict: maxTokens }, ...(stream === false ? { stream } : {}) },
});

const llamaCompletion: Asker = ({ prompt, maxTokens, stream = true }) => ({
  path: '/completion',
  body: { prompt, n_predict: maxTokens, stream },
});

const tgiGenerate: Asker = ({ prompt, maxTokens, stream = true }) => ({
  path: stream ? '/generate_stream' : '/generate',
  body: { inputs: prompt, parameters: { max_new_tokens: maxTokens, details: true } },
});

const sglangGenerate: Asker = ({ prompt, maxTokens, stream = true }) => ({
  path: '/generate',
  body: { text: prompt, stream, sampling_params: { max_new_tokens: maxTokens } },
});

const tritonGenerate: Asker = ({ prompt, maxTokens, stream = true }) => ({
  path: `/v2/models/${MODEL}/${stream ? 'generate_stream' : 'generate'}`,
  body: { text_input: prompt, max_tokens: maxTokens },
});

const converse: Asker = ({ prompt, maxTokens, stream = true }) => ({
  path: `/model/${MODEL}/${stream ? 'converse-stream' : 'converse'}`,
  body: { messages: [{ role: 'user', content: [{ text: prompt }] }], inferenceConfig: { maxTokens } },
});

const invoke: Asker = (parts) => ({
  path: `/model/${MODEL}/${parts.stream === false ? 'invoke' : 'invoke-with-response-stream'}`,
  body: { anthropic_version: 'bedrock-2023-05-31', max_tokens: parts.maxTokens, ...messages(parts) },
});

/** The routes of each persona, the one that tells most about time first. */
export const PERSONA_ASKS: Readonly<Record<PersonaName, Readonly<Record<string, Asker>>>> = {
  reference: { chat, completions },
  vllm: { chat, completions, responses, messages: messagesRoute },
  'vllm-old': { chat, completions },
  'vllm-rust': { chat, completions },
  kserve: { chat: chatAt('/openai/v1/chat/completions') },
  sglang: { chat, completions, generate: sglangGenerate },
  'sglang-generate': { generate: sglangGenerate },
  tgi: { generate: tgiGenerate, chat },
  llamacpp: { chat, completions, completion: llamaCompletion },
  'llamacpp-old': { chat, completions, completion: llamaCompletion },
  ollama: { chat: ollamaChat, generate: ollamaGenerate, compat: chat },
  'tensorrt-llm': { chat, completions },
  triton: { generate: tritonGenerate, chat },
  dynamo: { chat: chatAt('/v1/chat/completions', { nvext: { extra_fields: ['timing'] } }) },
  lmdeploy: { chat: chatAt('/v1/chat/completions', { return_token_ids: true }) },
  nim: { chat, completions },
  openai: { chat, responses },
  responses: { responses },
  azure: { chat: chatAt(`/openai/deployments/${MODEL}/chat/completions?api-version=2026-01-01`) },
  anthropic: { messages: messagesRoute },
  gemini: { sse: gemini('?alt=sse'), array: gemini('') },
  cohere: { chat: cohere },
  bedrock: { converse, invoke },
  groq: { chat },
  cerebras: { chat },
  fireworks: { chat: chatAt('/v1/chat/completions', { perf_metrics_in_response: true }) },
  together: { chat },
  mistral: { chat },
  deepseek: { chat },
  openrouter: { chat },
};

export const PERSONA_NAMES = Object.keys(PERSONA_ASKS) as PersonaName[];
