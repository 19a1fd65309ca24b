// Goal: an answer that is over when the process goes down, and of which a slow client has yet to read the end, is not
// cut: its connection is not idle before its last byte has left. Others that are idle close behind it.
// Method: an answer larger than the kernel takes, a client that does not read, SIGTERM, and a client that reads on.
import { expect, test } from 'vitest';
import type { StreamRecord } from '../../src/record/stream-record.ts';
import { useBench } from '../support/bench.ts';
import type { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { at, c, END, head, requestOf, type Step } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const COUNT = 48;
/** More than any kernel takes for one client. */
const PROBE_BYTES = 40_000_000;
/** Around what the kernel took, so that some answers are over and a little of them waits with us. */
const AROUND_BYTES = 300_000;
/** Several of the sweeps that close what is idle. */
const SWEEPS_MS = 400;
const bench = useBench({ args: ['--drain', '20'] });

/** By turns with a length and in chunks. */
function scriptOf(index: number, byteCount: number): Step[] {
  const body = Buffer.alloc(byteCount, 97);
  return index % 2 === 0
    ? [at(0, head('200 OK', `Content-Length: ${body.length}`), body)]
    : [at(0, head('200 OK', 'Transfer-Encoding: chunked'), c(body), END)];
}

/** A client that has read the head and reads no more. */
async function slowClient(index: number, byteCount: number): Promise<RawClient> {
  const plan = bench.engine.plan(scriptOf(index, byteCount));
  const client = await bench.client();
  client.request(requestOf({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  await client.responseHead();
  client.pause();
  return client;
}

/** Bytes that the kernel takes for a client that does not read. */
async function takenBytes(): Promise<number> {
  const client = await slowClient(0, PROBE_BYTES);
  await sleep(SWEEPS_MS);
  const admin = `http://127.0.0.1:${bench.sidecar.adminPort}/api/streams`;
  const { open } = (await (await fetch(admin)).json()) as { open: { id: string }[] };
  const { chunks } = (await (await fetch(`${admin}/${open[0]?.id}`)).json()) as StreamRecord;
  client.close();
  return chunks.bytes.reduce((sum, bytes, row) => sum + (chunks.flushedAtNs[row] === null ? 0 : bytes), 0);
}

test('F29 a slow client has the whole answer, and who is idle is let go behind it', async () => {
  bench.engine.plan([at(0, head('200 OK', 'Content-Length: 2'), 'ok')]);
  const idle = await bench.client();
  idle.request(requestOf());
  await idle.response();
  const leastBytes = (await takenBytes()) - AROUND_BYTES;
  const sizes = Array.from(
    { length: COUNT },
    (_, index) => leastBytes + Math.round((2 * AROUND_BYTES * index) / COUNT),
  );
  const slow = await Promise.all(sizes.map((byteCount, index) => slowClient(index, byteCount)));
  await sleep(SWEEPS_MS);
  bench.sidecar.signal('SIGTERM');
  await sleep(SWEEPS_MS);
  for (const client of slow) client.resume();
  const answers = await Promise.all(slow.map((client) => client.response()));
  expect(answers.map(({ body, complete }) => [body.length, complete])).toEqual(
    sizes.map((byteCount) => [byteCount, true]),
  );
  await idle.untilGone();
  await bench.sidecar.untilExit(5_000);
  expect(bench.sidecar.exit?.code).toBe(0);
});
