// Token counts as OpenAI-shaped answers state them, with the places where engines put them.
import { asObject, firstCount, type JsonObject } from '../json-value.ts';
import type { UsageCounts } from '../token-tally.ts';

/** The usage in a message; undefined when it states none. */
export function usageOf(message: JsonObject): UsageCounts | undefined {
  const usage = asObject(message['usage']) ?? asObject(asObject(message['x_groq'])?.['usage']);
  const counts = usage === undefined ? undefined : countsOf(usage);
  const timings = asObject(message['timings']);
  const timed = timings === undefined ? undefined : countsOfTimings(timings);
  if (counts === undefined) return countsOfProgress(message, timed) ?? timed;
  // llama.cpp's usage had no count of cached tokens before its timings had one.
  return { ...counts, cached: counts.cached ?? timed?.cached };
}

function countsOf(usage: JsonObject): UsageCounts | undefined {
  const prompt = firstCount(usage['prompt_tokens']);
  const output = firstCount(usage['completion_tokens']);
  // Ollama's completions carry a usage of zeros on every chunk: a blank form, not a statement.
  if ((prompt ?? 0) === 0 && (output ?? 0) === 0) return undefined;
  return {
    prompt,
    output,
    // DeepSeek and Moonshot count cache hits at the top level, under names of their own.
    cached: firstCount(
      asObject(usage['prompt_tokens_details'])?.['cached_tokens'],
      usage['prompt_cache_hit_tokens'],
      usage['cached_tokens'],
    ),
    // SGLang counts reasoning at the top level.
    reasoning: firstCount(
      asObject(usage['completion_tokens_details'])?.['reasoning_tokens'],
      usage['reasoning_tokens'],
    ),
  };
}

/**
 * While llama.cpp reads the prompt, `timings` count what is done of it; the whole of it, and what of it
 * came from the cache, stand in the progress.
 */
function countsOfProgress(message: JsonObject, timed: UsageCounts | undefined): UsageCounts | undefined {
  const progress = asObject(message['prompt_progress']);
  const prompt = firstCount(progress?.['total']);
  return prompt === undefined ? undefined : { prompt, cached: firstCount(progress?.['cache']), output: timed?.output };
}

/**
 * llama.cpp (tools/server) puts `timings` on its last chunk, and on every chunk when asked, also when
 * nobody asked for usage. `prompt_n` leaves out what came from the cache.
 */
function countsOfTimings(timings: JsonObject): UsageCounts | undefined {
  const output = firstCount(timings['predicted_n']);
  if (output === undefined) return undefined;
  const processed = firstCount(timings['prompt_n']);
  const cached = firstCount(timings['cache_n']);
  return { output, cached, prompt: processed === undefined ? undefined : firstCount(processed + (cached ?? 0)) };
}
