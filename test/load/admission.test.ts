// Goal: asked for three times what an engine can do, interactive requests keep their time to first token while batch is
// refused; and without the key nobody is refused, however many ask.
// Method: the reference engine with four places, an open-loop schedule, the sidecar's own records. The run without
// admission shows that the overload is one: there interactive requests wait with all others.
import { expect, test } from 'vitest';
import { startReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { sendRequest } from '../../src/client/stream-client.ts';
import { nearestRank, ascending } from '../../src/measure/percentile.ts';
import { configFile } from '../support/config-file.ts';
import { Sidecar, type RecordEntry } from '../support/sidecar.ts';
import { sleep } from '../support/signal.ts';

const MODEL = {
  maxRunning: 4,
  stepTokens: 512,
  stepBaseNs: 10_000_000,
  decodeNs: 0,
  contextNs: 0,
  prefillNs: 1_000,
};
const OUTPUT_TOKENS = 20;
/** Four at a time of twenty steps of 10 ms each. */
const CAPACITY_PER_SECOND = 4 / (OUTPUT_TOKENS * 0.01);
/** Three times that: a third of the capacity is interactive, the rest batch. */
const BATCH_PER_INTERACTIVE = 8;
const OVERLOAD = 3;
const SECONDS = 6;
/** The objective of the preset chat. */
const TTFT_P95_NS = 800e6;

const ADMISSION = `admission:
  max_running: 4
  classes:
    - { class: interactive, priority: 10, max_waiting: 50, max_wait_ms: 5000 }
    - { class: batch, max_waiting: 4, max_wait_ms: 2000 }
`;

/** The records of all that was asked, by class. */
async function overload(yaml: string): Promise<Partial<Record<string, RecordEntry[]>>> {
  const engine = await startReferenceEngine({ model: MODEL });
  const sidecar = await Sidecar.start({ upstream: engine.url, args: ['--config', configFile(yaml)] });
  try {
    const everyMs = 1_000 / (CAPACITY_PER_SECOND * OVERLOAD);
    const count = Math.round((SECONDS * 1_000) / everyMs);
    const startMs = performance.now();
    const answers: Promise<unknown>[] = [];
    for (let index = 0; index < count; index += 1) {
      await sleep(Math.max(0, startMs + index * everyMs - performance.now()));
      const className = index % (BATCH_PER_INTERACTIVE + 1) === 0 ? 'interactive' : 'batch';
      answers.push(
        sendRequest({
          url: `http://127.0.0.1:${sidecar.listenPort}/v1/chat/completions`,
          headers: { 'x-traffic-class': className },
          body: JSON.stringify({
            model: 'reference-small',
            stream: true,
            max_tokens: OUTPUT_TOKENS,
            messages: [{ role: 'user', content: `question ${index}` }],
          }),
        }),
      );
    }
    await Promise.all(answers);
    const records = await sidecar.untilRecords(count);
    return Object.groupBy(records, ({ record }) => record.class.name);
  } finally {
    await sidecar.stop();
    await engine.close();
  }
}

function shedCount(entries: readonly RecordEntry[] = []): number {
  return entries.filter(({ record }) => record.end.outcome === 'shed').length;
}

/** A request without a first token waited for ever. */
function ttftP95Ns(entries: readonly RecordEntry[] = []): number {
  return nearestRank(ascending(entries.map(({ figures }) => figures.ttftNs ?? Infinity)), 95);
}

test('interactive requests keep their objective while batch is refused', { timeout: 90_000 }, async () => {
  const { interactive, batch } = await overload(ADMISSION);
  expect(shedCount(interactive)).toBe(0);
  expect(ttftP95Ns(interactive)).toBeLessThanOrEqual(TTFT_P95_NS);
  // Of the batch at most what is left of the capacity, and what waits at the end, could be served.
  expect(shedCount(batch)).toBeGreaterThanOrEqual((batch?.length ?? 0) / 3);
  expect(batch?.some(({ record }) => record.end.outcome === 'ok')).toBe(true);
});

test(
  'without the key nobody is refused, and interactive requests wait with all others',
  { timeout: 90_000 },
  async () => {
    const { interactive, batch } = await overload('log-level: info\n');
    expect(shedCount(interactive) + shedCount(batch)).toBe(0);
    expect(ttftP95Ns(interactive)).toBeGreaterThan(TTFT_P95_NS);
  },
);
