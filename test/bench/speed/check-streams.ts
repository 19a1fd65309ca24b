// Whether a way between really streams the bench's engine: each chunk has to be at the client before the next one is
// written. A proxy that gathers would look fast in some figures.
import { withinCap } from '../harness/cap.ts';
import type { Load } from '../harness/load.ts';
import type { Running } from './contenders.ts';

const CHUNK_COUNT = 5;
/** Some gateways take seconds for their first request. */
const ALL_WITHIN_MS = 30_000;

/** Rejects when it does not. */
export async function checkStreams(load: Load, running: Running): Promise<void> {
  const came = Promise.withResolvers<void>();
  const stream = load.open(running, {
    onAnswer: (self) => self.chunk(),
    onChunk(self) {
      if (self.delaysNs.length === CHUNK_COUNT) came.resolve();
      else self.chunk();
    },
  });
  const played = async (): Promise<void> => {
    await Promise.race([came.promise, stream.ended]);
    stream.answer?.end();
    await stream.ended;
  };
  const missing = (): string => `chunk ${stream.delaysNs.length + 1} did not come before another was written`;
  try {
    await withinCap(played(), ALL_WITHIN_MS, missing);
  } catch (error) {
    stream.cut();
    throw error;
  }
  if (stream.delaysNs.length < CHUNK_COUNT) throw new Error(`its answer ended after ${stream.delaysNs.length} chunks`);
}
