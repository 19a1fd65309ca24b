// The section of hops: what stands on the way and was seen from both sides, and what it does to streams.
import type { HopState } from '../../judge/hop/state.ts';

export interface HopsProps {
  readonly hops: readonly HopState[];
}

export function HopsView({ hops }: HopsProps) {
  return <p>{hops.map(({ hop, word }) => `${hop}: ${word}`).join(', ')}</p>;
}
