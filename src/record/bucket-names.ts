// Names of buckets of token counts, as labels have them: a closed set, made from configured edges.

const TOKENS_PER_K = 1024;

export const UNKNOWN_BUCKET = 'unknown';

/** Every name that edges can give, `unknown` last. */
export function bucketNames(edges: readonly number[]): string[] {
  const starts = [0, ...edges];
  const names = starts.map((start, index) => {
    const end = edges[index];
    return end === undefined ? `${shortCount(start)}+` : `${shortCount(start)}-${shortCount(end)}`;
  });
  return [...names, UNKNOWN_BUCKET];
}

/** 4096 → 4k; what is not a multiple of 1024 is written out. */
function shortCount(tokens: number): string {
  return tokens > 0 && tokens % TOKENS_PER_K === 0 ? `${tokens / TOKENS_PER_K}k` : String(tokens);
}
