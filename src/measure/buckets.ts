// Buckets of token counts, for labels: a closed set of names made from configured edges. A count belongs
// to the bucket that begins at or below it and ends above it, so 256 is in `256-1k`.

const TOKENS_PER_K = 1024;

export const UNKNOWN_BUCKET = 'unknown';
export const PROMPT_BUCKET_EDGES: readonly number[] = [256, 1024, 4096, 16_384, 65_536];
export const OUTPUT_BUCKET_EDGES: readonly number[] = [64, 256, 1024, 4096];

/** Every name that edges can give, `unknown` last. */
export function bucketNames(edges: readonly number[]): string[] {
  const starts = [0, ...edges];
  const names = starts.map((start, index) => {
    const end = edges[index];
    return end === undefined ? `${shortCount(start)}+` : `${shortCount(start)}-${shortCount(end)}`;
  });
  return [...names, UNKNOWN_BUCKET];
}

export function promptBucket(promptTokens: number | undefined, edges = PROMPT_BUCKET_EDGES): string {
  return bucketOf(promptTokens, edges);
}

export function outputBucket(outputTokens: number | undefined, edges = OUTPUT_BUCKET_EDGES): string {
  return bucketOf(outputTokens, edges);
}

function bucketOf(tokens: number | undefined, edges: readonly number[]): string {
  const names = bucketNames(edges);
  const index = tokens === undefined ? -1 : edges.filter((edge) => edge <= tokens).length;
  return names.at(index) as string;
}

/** 4096 → 4k; what is not a multiple of 1024 is written out. */
function shortCount(tokens: number): string {
  return tokens > 0 && tokens % TOKENS_PER_K === 0 ? `${tokens / TOKENS_PER_K}k` : String(tokens);
}
