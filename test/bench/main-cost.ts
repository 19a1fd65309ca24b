// `npm run bench -- main-cost`: what the main thread spends on a chunk and on an exchange, with nothing else in its way.
// A tape is written as a relay would write it and read by the parts that `rubato serve` is made of, in this process:
// traces and metrics to a collector, a record file, every chunk stamped. No sockets of streams, no waiting, so that
// what a change saves or costs shows on a busy machine as well. Gives no verdict. `--cpu-prof` goes to Node before it.
//   --turns 5            turns of each length of stream
//   --look-ms 20,100     writes at the pace of a real relay instead, and has the tape read so often, in turns: what a
//                        thread that sleeps meanwhile pays for its caches
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { boundHeap } from '../../src/app/heap.ts';
import { createOutlets } from '../../src/app/outlets.ts';
import { createParts } from '../../src/app/parts.ts';
import { epochMs, nowNs, threadCpuNs } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { TapeHandler } from '../../src/tape/entries.ts';
import { createTape } from '../../src/tape/layout.ts';
import { TapeReader } from '../../src/tape/reader.ts';
import { TapeWriter } from '../../src/tape/writer.ts';
import { eventText, LAST_TEXT, requestBody } from './harness/light-engine.ts';
import { machineText, tableText } from './harness/report.ts';
import { spreadText as spread } from './harness/stats.ts';
import { startCollector } from './speed/collector.ts';

const STREAM_COUNT = 100;
const STEP_NS = 20e6;
const STEP_COUNT = 600;
/** A stream's own offset within the step: its engine does not write all of them at once. */
const OFFSET_NS = STEP_NS / STREAM_COUNT;
/** Read → written to the client → accepted by its kernel. */
const WRITTEN_NS = 40_000;
const FLUSHED_NS = 60_000;
const PREFILL_NS = 30e6;
const CHUNK_COUNTS = [15, 150];
const TAPE_BYTES = 4 * 1024 * 1024;

const { values: options } = parseArgs({
  options: { turns: { type: 'string', default: '5' }, 'look-ms': { type: 'string' } },
});
/** Undefined is one step behind the other. */
const LOOKS_MS: readonly (number | undefined)[] = options['look-ms']?.split(',').map(Number) ?? [undefined];

const REQUEST = Buffer.from(requestBody(0));
const REQUEST_FIELDS = ['host', 'bench', 'content-type', 'application/json', 'content-length', String(REQUEST.length)];
const ANSWER_FIELDS = ['content-type', 'text/event-stream', 'cache-control', 'no-store'];
const EVENT = Buffer.from(eventText(' token'));
const LAST = Buffer.from(LAST_TEXT);

/** One stream after the other in one place, each of so many chunks. */
class Place {
  readonly #writer: TapeWriter;
  readonly #chunkCount: number;
  #exchange = 0;
  #seq = 0;
  #bytes = 0;

  constructor(writer: TapeWriter, chunkCount: number) {
    this.#writer = writer;
    this.#chunkCount = chunkCount;
  }

  /** Writes what happens in a step: a chunk, and with the last one the end and the next opening. */
  step(nextExchange: () => number, atNs: number): void {
    if (this.#exchange === 0) this.#open((this.#exchange = nextExchange()), atNs);
    const isLast = this.#seq === this.#chunkCount - 1;
    this.#chunk(isLast ? LAST : EVENT, atNs + PREFILL_NS);
    if (!isLast) return;
    this.#end(atNs + PREFILL_NS + 2 * FLUSHED_NS);
    this.#exchange = 0;
    this.#seq = 0;
    this.#bytes = 0;
  }

  #open(exchange: number, atNs: number): void {
    const writer = this.#writer;
    writer.open({
      exchange,
      openedAtNs: atNs,
      openedErrorBoundNs: 0,
      epochMs: epochMs(),
      routeIndex: 0,
      clientPort: 1024 + (exchange % 60_000),
      localPort: 8080,
      clientAddress: '127.0.0.1',
      method: 'POST',
      target: '/v1/chat/completions',
      fields: REQUEST_FIELDS,
      upgrade: false,
      http2: false,
      trace: {
        traceId: exchange.toString(16).padStart(32, '1'),
        parentSpanId: undefined,
        serverSpanId: exchange.toString(16).padStart(16, '2'),
        clientSpanId: exchange.toString(16).padStart(16, '3'),
        sampled: true,
      },
    });
    writer.mark(exchange, 'connectStart', atNs + 10_000);
    writer.connected({ exchange, atNs: atNs + 20_000, reused: true, ...NO_TIMES });
    writer.mark(exchange, 'requestSent', atNs + 30_000);
    writer.requestBytes(exchange, 0, REQUEST);
    writer.mark(exchange, 'uploadEnd', atNs + 40_000, REQUEST.length);
    writer.head({ exchange, receivedAtNs: atNs + PREFILL_NS, status: 200, framing: 'chunked', fields: ANSWER_FIELDS });
    writer.mark(exchange, 'headWritten', atNs + PREFILL_NS + 20_000);
  }

  #chunk(bytes: Buffer, atNs: number): void {
    this.#writer.chunk({
      exchange: this.#exchange,
      seq: this.#seq,
      receivedAtNs: atNs,
      writtenAtNs: atNs + WRITTEN_NS,
      errorBoundNs: 20_000,
      byteCount: bytes.length,
      queuedBytes: 0,
      bytes,
    });
    this.#writer.flush(this.#exchange, this.#seq, atNs + FLUSHED_NS);
    this.#seq += 1;
    this.#bytes += bytes.length;
  }

  #end(atNs: number): void {
    this.#writer.mark(this.#exchange, 'upstreamEnd', atNs);
    this.#writer.end({
      exchange: this.#exchange,
      atNs,
      wireEnd: 'complete',
      reason: '',
      answeredByUs: false,
      chunkCount: this.#seq,
      receivedBytes: this.#bytes,
      deliveredBytes: this.#bytes,
      requestBytes: REQUEST.length,
    });
  }
}

const NO_TIMES = { dnsNs: undefined, tcpNs: undefined, tlsNs: undefined, wireFloorNs: undefined };

interface Cost {
  readonly chunkCount: number;
  readonly endCount: number;
  /** Of this thread, and of the whole process with V8's helpers, until all is exported. */
  readonly threadUs: number;
  readonly processUs: number;
}

let exchangeCount = 0;

/** Steps of all places, each read as soon as it is written, or all those of a while when it is over. */
async function play(handler: TapeHandler, chunkCount: number, lookMs: number | undefined): Promise<Cost> {
  const tape = createTape(TAPE_BYTES);
  const [writer, reader] = [new TapeWriter(tape), new TapeReader(tape)];
  const places = Array.from({ length: STREAM_COUNT }, () => new Place(writer, chunkCount));
  const startNs = nowNs();
  const before = { thread: threadCpuNs() ?? NaN, process: process.cpuUsage() };
  const firstExchange = exchangeCount;
  for (let step = 0; step < STEP_COUNT; step += 1) {
    for (const [index, place] of places.entries()) {
      // Not all of them end in the same step.
      if (step < (index * chunkCount) / STREAM_COUNT) continue;
      place.step(() => (exchangeCount += 1), startNs + step * STEP_NS + index * OFFSET_NS);
    }
    const isLook = lookMs === undefined || (step + 1) % Math.round((lookMs * 1e6) / STEP_NS) === 0;
    if (!isLook) continue;
    if (lookMs !== undefined) await delay(lookMs);
    // Exports and files have their turn, as they have between two looks at the tape.
    do await new Promise(setImmediate);
    while (reader.drain(handler, STREAM_COUNT) > 0);
  }
  await delay(300);
  const used = process.cpuUsage(before.process);
  return {
    chunkCount: STREAM_COUNT * STEP_COUNT,
    endCount: exchangeCount - firstExchange,
    threadUs: ((threadCpuNs() ?? NaN) - before.thread) / 1e3,
    processUs: used.user + used.system,
  };
}

/** Costs of a chunk and of an exchange from two lengths of stream: two equations of two unknowns. */
function solve(a: Cost, b: Cost, of: 'threadUs' | 'processUs'): { chunk: number; exchange: number } {
  const determinant = a.chunkCount * b.endCount - b.chunkCount * a.endCount;
  return {
    chunk: (a[of] * b.endCount - b[of] * a.endCount) / determinant,
    exchange: (a.chunkCount * b[of] - b.chunkCount * a[of]) / determinant,
  };
}

boundHeap({ execArgv: process.execArgv, env: process.env });
const folder = mkdtempSync(join(tmpdir(), 'rubato-main-'));
const collector = await startCollector();
// Exporters read it from the process itself.
process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${collector.port}`;
const { env } = process;
const loaded = loadConfig({
  flags: { upstream: 'http://127.0.0.1:9', record: join(folder, 'records.jsonl') },
  env,
  execArgv: [],
  platform: process.platform,
  readFile: () => '',
  checks: [],
});
if ('faults' in loaded) throw new Error(loaded.faults.join('\n'));
const log = createLog({ level: 'warn' });
const outlets = await createOutlets(loaded.config, env, log);
const { observer } = createParts(loaded.config, {
  env,
  log,
  outlets,
  otlp: undefined,
  sinks: [],
  onAllBegun: undefined,
});
const handler = observer.handlerFor(0, 0, () => undefined);

for (const chunkCount of CHUNK_COUNTS) await play(handler, chunkCount, undefined);
const turns = LOOKS_MS.map((lookMs) => ({ lookMs, costs: [] as Cost[][] }));
for (let turn = 0; turn < Number(options.turns); turn += 1) {
  for (const { lookMs, costs } of turns) {
    const pair: Cost[] = [];
    for (const chunkCount of CHUNK_COUNTS) pair.push(await play(handler, chunkCount, lookMs));
    costs.push(pair);
  }
}
const row = (name: string, costs: readonly Cost[][], of: 'threadUs' | 'processUs'): string[] => {
  const solved = costs.map(([few, many]) => solve(few as Cost, many as Cost, of));
  return [
    name,
    spread(solved.map(({ chunk }) => chunk)),
    spread(solved.map(({ exchange }) => exchange)),
    spread(costs.map(([, many]) => (many as Cost)[of] / (many as Cost).chunkCount)),
  ];
};
const head = ['µs', 'a chunk', 'an exchange', 'a chunk of streams of 150, all told'];
const rows = turns.flatMap(({ lookMs, costs }) => {
  const when = lookMs === undefined ? '' : `, a look every ${lookMs} ms`;
  return [row(`main thread${when}`, costs, 'threadUs'), row(`the process${when}`, costs, 'processUs')];
});
process.stdout.write(`${machineText()}\n\n${tableText({ title: 'main thread', head, rows })}\n`);
await outlets.close();
await collector.stop();
rmSync(folder, { recursive: true });
process.exit();
