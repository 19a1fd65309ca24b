// Whether an answer is what was asked for, by the reasons with which its choices finished. Each API has words of its own
// for an answer that was cut off or withheld; configuration has one for each. Pure.
import type { StreamRecord } from '../record/stream-record.ts';

/** `unknown`: nobody could read how it finished. */
export type Validity = 'valid' | 'invalid' | 'unknown';

/** By the word of OpenAI's chat API, what others say: Anthropic, Gemini, Cohere, Bedrock, Responses, llama.cpp. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  length: ['max_tokens', 'max_output_tokens', 'model_context_window_exceeded', 'limit'],
  content_filter: [
    'content_filtered',
    'guardrail_intervened',
    'refusal',
    'safety',
    'recitation',
    'blocklist',
    'prohibited_content',
    'spii',
    'image_safety',
    'error_toxic',
  ],
};

/** Of an answer that came to its end. */
export function validityOf({ answer, doubts }: StreamRecord, invalidFinishes: readonly string[]): Validity {
  const { finishReasons, unreadable, dialect } = answer;
  if (finishReasons.some((reason) => isListed(reason.toLowerCase(), invalidFinishes))) return 'invalid';
  // Where nobody could read the body, or parts of it are missing, a clean end of the wire proves little.
  const isRead = unreadable === undefined && dialect !== 'opaque';
  if (!isRead || doubts.includes('tape_bytes') || doubts.includes('tape_chunks')) return 'unknown';
  return invalidFinishes.length > 0 && finishReasons.length === 0 ? 'unknown' : 'valid';
}

function isListed(reason: string, listed: readonly string[]): boolean {
  return listed.some((word) => {
    const name = word.toLowerCase();
    return name === reason || (Object.hasOwn(SAME, name) && SAME[name]?.includes(reason) === true);
  });
}
