// Which bucket a token count belongs to: the one that begins at or below it and ends above it, so 256 is in
// `256-1k`.
import { bucketNames } from '../record/bucket-names.ts';

export const PROMPT_BUCKET_EDGES: readonly number[] = [256, 1024, 4096, 16_384, 65_536];
export const OUTPUT_BUCKET_EDGES: readonly number[] = [64, 256, 1024, 4096];

export function promptBucket(promptTokens: number | undefined, edges = PROMPT_BUCKET_EDGES): string {
  return bucketOf(promptTokens, edges);
}

export function outputBucket(outputTokens: number | undefined, edges = OUTPUT_BUCKET_EDGES): string {
  return bucketOf(outputTokens, edges);
}

/** Edges are few lists that stay; their names are asked for with every exchange. */
const namesByEdges = new WeakMap<readonly number[], readonly string[]>();

function bucketOf(tokens: number | undefined, edges: readonly number[]): string {
  let names = namesByEdges.get(edges);
  if (names === undefined) namesByEdges.set(edges, (names = bucketNames(edges)));
  const index = tokens === undefined ? -1 : edges.filter((edge) => edge <= tokens).length;
  return names.at(index) as string;
}
