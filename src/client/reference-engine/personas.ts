// The table of personas: every engine the reference engine can speak as, by name. A new one is one more
// file and one more line.
import type { Persona } from './persona.ts';
import { azure } from './personas/azure.ts';
import { bedrock } from './personas/bedrock.ts';
import { cohere } from './personas/cohere.ts';
import { dynamo } from './personas/dynamo.ts';
import { gemini } from './personas/gemini.ts';
import { cerebras, deepseek, fireworks, groq, mistral, openrouter, together } from './personas/hosted.ts';
import { llamacpp, llamacppOld } from './personas/llamacpp.ts';
import { lmdeploy } from './personas/lmdeploy.ts';
import { nim } from './personas/nim.ts';
import { ollama } from './personas/ollama.ts';
import { sglang, sglangGenerate } from './personas/sglang.ts';
import { tensorrtLlm } from './personas/tensorrt-llm.ts';
import { tgi } from './personas/tgi.ts';
import { triton } from './personas/triton.ts';
import { anthropic, openai, responses } from './personas/typed.ts';
import { kserve, reference, vllm, vllmOld, vllmRust } from './personas/vllm.ts';

export const PERSONAS = {
  reference,
  vllm,
  'vllm-old': vllmOld,
  'vllm-rust': vllmRust,
  kserve,
  sglang,
  'sglang-generate': sglangGenerate,
  tgi,
  llamacpp,
  'llamacpp-old': llamacppOld,
  ollama,
  'tensorrt-llm': tensorrtLlm,
  triton,
  dynamo,
  lmdeploy,
  nim,
  openai,
  responses,
  azure,
  anthropic,
  gemini,
  cohere,
  bedrock,
  groq,
  cerebras,
  fireworks,
  together,
  mistral,
  deepseek,
  openrouter,
} as const satisfies Readonly<Record<string, Persona>>;

export type PersonaName = keyof typeof PERSONAS;
