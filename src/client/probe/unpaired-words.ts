// Why a stream of a probe has no second side, in sentences. Knows nothing of how sides are paired.
import type { UnpairedReason } from '../../record/hop-facts.ts';
import type { ProbeResult } from './result.ts';

const SENTENCES: Readonly<Record<UnpairedReason, string>> = {
  not_seen: 'nothing it saw is this stream: the URL does not lead there, or what leads there drops every id',
  outside: 'the ids are those of an earlier exchange: an answer out of a cache',
  content: 'the ids agree and the texts do not: what lies between alters the text from its beginning',
  ambiguous: 'more than one exchange there could be it',
  crowded: 'too many streams waited for it',
  peer: 'it could not be asked: is that the admin port of a rubato, and does it answer?',
};

/** One line a reason, with how many streams it is true of. */
export function unpairedLines({ streams }: ProbeResult, peer: string): string[] {
  const counts = new Map<UnpairedReason, number>();
  for (const { unpaired } of streams) if (unpaired !== undefined) counts.set(unpaired, (counts.get(unpaired) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `  ${count} not found at ${peer}: ${SENTENCES[reason]}`);
}
