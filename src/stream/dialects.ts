// The table of dialects. Adding one is a file in dialects/ and a line here. The first that claims a
// message wins, so the stricter ones stand first.
import type { Dialect } from './dialect.ts';
import { anthropicMessages } from './dialects/anthropic-messages.ts';
import { bedrockConverse } from './dialects/bedrock-converse.ts';
import { bedrockInvoke } from './dialects/bedrock-invoke.ts';
import { cohereChat } from './dialects/cohere-chat.ts';
import { gemini } from './dialects/gemini.ts';
import { llamacppCompletion } from './dialects/llamacpp-completion.ts';
import { ollama } from './dialects/ollama.ts';
import { openaiChat } from './dialects/openai-chat.ts';
import { openaiCompletions } from './dialects/openai-completions.ts';
import { openaiResponses } from './dialects/openai-responses.ts';
import { sglangGenerate } from './dialects/sglang-generate.ts';
import { tgiGenerate } from './dialects/tgi-generate.ts';
import { tritonGenerate } from './dialects/triton-generate.ts';
import { vllmGenerate } from './dialects/vllm-generate.ts';
import type { JsonObject } from './json-value.ts';

const DIALECTS: readonly Dialect[] = [
  openaiChat,
  openaiCompletions,
  openaiResponses,
  anthropicMessages,
  gemini,
  cohereChat,
  bedrockConverse,
  bedrockInvoke,
  ollama,
  llamacppCompletion,
  vllmGenerate,
  tritonGenerate,
  tgiGenerate,
  // Any other path that ends in `/generate`.
  sglangGenerate,
];

/** The dialect that a request path promises; undefined when it promises none. */
export function dialectForPath(path: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.ownsPath(path));
}

/** The dialect whose shape a message has; undefined when it could be any. */
export function dialectForMessage(message: JsonObject, eventName: string | undefined): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.claims(message, eventName));
}
