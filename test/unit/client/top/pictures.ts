// Pictures for tests: a sidecar with something of everything, drawn at a size.
import { FIRST_CHOICES } from '../../../../src/client/top/choices.ts';
import { TopModel } from '../../../../src/client/top/model.ts';
import { renderTop, type TopOptions, type TopSize } from '../../../../src/client/top/render.ts';
import type { LiveHello } from '../../../../src/telemetry/live/frame.ts';
import { AT, beat, classSummary, columns, ended, hello, open, state } from './feed-events.ts';

const BIN = AT / 50;
export const URL = 'http://127.0.0.1:9464';

export function model(part: Partial<LiveHello> = {}): TopModel {
  const made = new TopModel(URL, AT);
  made.hello(hello(part), AT);
  return made;
}

export function lines(of: TopModel, size: Partial<TopSize> = {}, part: Partial<TopOptions> = {}): string[] {
  const plain = { choices: FIRST_CHOICES, isColored: false, isAscii: false, hasKeys: true, nowEpochMs: AT };
  return renderTop(of.view(), { columns: 80, rows: 23, ...size }, { ...plain, ...part });
}

/** Half a minute of a stream, told in seconds: what came and what went on in each of the 20 bins of a second. */
function strip(received: string, flushed = received) {
  const bins = (seconds: string): string => [...seconds].map((each) => each.repeat(20)).join('');
  return { fromBin: BIN - 599, received: bins(received), flushed: bins(flushed) };
}

/** A stall of 4 s in a stream of 30 s that goes on, one whose silence goes on, one that waits, and one that is over. */
export const BUSY = {
  state: state({
    classes: [
      classSummary(),
      classSummary({ class: 'batch', exchangeCount: 12, outcomeCounts: { ok: 12 }, stallCount: 0 }),
    ],
    diagnoses: [
      {
        route: 'default',
        moved: 'ttft',
        findings: [
          { cause: 'preemption', weight: 0.8, says: 'Two requests were thrown out.', numbers: {} },
          { cause: 'queueing', weight: 0.4, says: 'Requests wait 120 ms.', numbers: {} },
        ],
        playbook: [],
        says: ['TTFT got worse.'],
      },
    ],
    hops: [
      {
        hop: 'gateway',
        word: 'holds',
        way: 'timer',
        confidence: 0.9,
        signs: [],
        signature: {},
        products: [],
        cures: ['proxy_buffering off'],
        pairedCount: 1_200,
        pairedBy: {},
        unpaired: {},
        words: {},
        changes: {},
        recentCount: 50,
        holdMax: { count: 50, p50Ns: 101 * 1e6, p95Ns: 180 * 1e6, maxNs: 200 * 1e6 },
      },
    ],
  }),
  beat: beat({
    columns: columns([
      { interactive: [0, 0, 0, 98, 1, 0, 1] },
      {},
      { interactive: [0, 0, 0, 98, 0, 0, 2], batch: [5] },
    ]),
    open: [
      open({
        id: '0-4',
        stallCount: 1,
        strip: strip('111111111111110000111111111111'),
        stalls: [{ endedAtEpochMs: AT - 12_000, gapMs: 4_000, cause: 'prefill_interference', confidence: 0.9 }],
      }),
      open({
        id: '0-2',
        class: 'batch',
        model: '模型-漢字',
        phase: 'silent',
        silentMs: 5_300,
        strip: strip('2222222222222222222222222', '2222222222220000222222222'),
      }),
      { ...open({ id: '0-5', phase: 'token', ageMs: 300, chunkCount: 0 }), silentMs: undefined, gapMaxMs: undefined },
    ] as LiveHello['beat']['open'],
    ended: [ended()],
  }),
};

/** What stands in a line of the table of streams behind its strip. */
export function row(all: readonly string[], id: string): string {
  return all.find((line) => line.includes(` ${id} `)) ?? '';
}
