// One sidecar before many reference engines, each behind a route of its own that its host name leads to; and
// runs of exchanges through it, each with what the engine knows to be true beside what the record says.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineModel } from '../../src/client/reference-engine/model.ts';
import type { Signals } from '../../src/client/reference-engine/persona.ts';
import type { PersonaName } from '../../src/client/reference-engine/personas.ts';
import { startReferenceEngine, type ReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { timesOf } from '../../src/client/reference-engine/times.ts';
import type { RequestTruth } from '../../src/client/reference-engine/truth.ts';
import { sendRequest, type StreamAnswer } from '../../src/client/stream-client.ts';
import { exportEngineSpans, type EngineExporter, type OtlpForm } from './engine-exporter.ts';
import { PERSONA_ASKS } from './persona-asks.ts';
import { Sidecar, type RecordEntry } from './sidecar.ts';

/** One row of the grid: an engine, a route of it, and what it is allowed to tell. */
export interface GridRow {
  readonly persona: PersonaName;
  readonly route: string;
  /** What is left out is on, but for spans and the list of finished requests. */
  readonly signals?: Partial<Signals>;
  readonly spans?: OtlpForm;
  readonly perfMetrics?: true;
  /** Path of the page of metrics that the sidecar polls; absent: it polls none. */
  readonly counters?: string;
  /** Default true. */
  readonly stream?: boolean;
}

/** One exchange as the engine, the client and the sidecar know it. */
export interface GridExchange {
  readonly queueNs: number;
  readonly prefillNs: number;
  /** How late the engine was with what marks the ends of these parts on the wire; no sidecar can know of it. */
  readonly engineLateNs: number;
  readonly answer: StreamAnswer;
  readonly entry: RecordEntry;
}

/** Two slots for four clients: a queue forms, and a prefill shares its steps with another request's tokens. */
const MODEL: EngineModel = {
  maxRunning: 2,
  stepTokens: 256,
  stepBaseNs: 4_000_000,
  decodeNs: 200_000,
  contextNs: 0,
  prefillNs: 150_000,
};
const CLIENT_COUNT = 4;
/** Tokens of each answer, one an event in every dialect. */
export const OUTPUT_TOKENS = 6;
/** Spans and lists come sooner here, and the exchanges of engines without any would wait longer for nothing. */
const WAIT = ['--evidence-wait', '1'];
const CHARS_PER_TOKEN = 4;
/** Prompts of 130 to 350 tokens take this model 20 to 60 ms alone. */
const PROMPT_TOKENS = [130, 200, 270, 350] as const;

/** A request that was answered; its trace's id is also the request's. */
interface Sent {
  readonly traceId: string;
  readonly answer: StreamAnswer;
}

interface Cell {
  readonly host: string;
  readonly engine: ReferenceEngine;
  readonly exporter: { current?: EngineExporter };
}

export class Grid {
  readonly #cells: ReadonlyMap<GridRow, Cell>;
  readonly #sidecar: Sidecar;
  readonly #folder: string;

  private constructor(cells: ReadonlyMap<GridRow, Cell>, sidecar: Sidecar, folder: string) {
    this.#cells = cells;
    this.#sidecar = sidecar;
    this.#folder = folder;
  }

  static async start(rows: readonly GridRow[]): Promise<Grid> {
    const cells = new Map<GridRow, Cell>();
    const alike = new Map<string, Cell>();
    const lines = ['routes:'];
    for (const row of rows) {
      // Rows that differ in nothing but the path have one engine.
      const key = JSON.stringify([row.persona, row.signals, row.spans, row.perfMetrics, row.counters]);
      const cell = alike.get(key) ?? (await startCell(row, `cell-${alike.size}.example`));
      cells.set(row, cell);
      if (alike.has(key)) continue;
      lines.push(routeLine(row, cell, `cell-${alike.size}`));
      alike.set(key, cell);
    }
    const folder = mkdtempSync(join(tmpdir(), 'rubato-grid-'));
    const file = join(folder, 'rubato.yaml');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const sidecar = await Sidecar.start({
      args: ['--config', file, '--otlp-listen', '127.0.0.1:0', '--propagate', 'on', ...WAIT],
    });
    for (const [{ spans }, { exporter }] of cells) {
      if (spans !== undefined) exporter.current ??= exportEngineSpans(spans, sidecar.otlpUrl);
    }
    return new Grid(cells, sidecar, folder);
  }

  /** What is wrong with the sidecar or its engines' exporters, if anything. */
  faults(): string[] {
    const lost = [...new Set(this.#cells.values())].flatMap(({ exporter }) => exporter.current?.failures ?? []);
    return [...(this.#sidecar.fault === undefined ? [] : [this.#sidecar.fault]), ...lost];
  }

  /** Four clients at once, each with its requests one after the other. */
  async play(row: GridRow, rounds: number): Promise<GridExchange[]> {
    const clients = Array.from({ length: CLIENT_COUNT }, (_, client) => this.#playClient(row, client, rounds));
    return (await Promise.all(clients)).flat();
  }

  async stop(): Promise<void> {
    await this.#sidecar.stop();
    for (const { engine, exporter } of new Set(this.#cells.values())) {
      await exporter.current?.stop();
      await engine.close();
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** One client, and each request only once the record of the one before is there: nobody else is ever served. */
  async playAlone(row: GridRow, rounds: number): Promise<GridExchange[]> {
    const exchanges: GridExchange[] = [];
    for (let round = 0; round < rounds; round += 1) exchanges.push(...(await this.#playClient(row, round, 1)));
    return exchanges;
  }

  async #playClient(row: GridRow, client: number, rounds: number): Promise<GridExchange[]> {
    const sent: Sent[] = [];
    for (let round = 0; round < rounds; round += 1) {
      sent.push(await this.#send(row, PROMPT_TOKENS[(client + round) % PROMPT_TOKENS.length] ?? 0));
    }
    return Promise.all(sent.map((one) => this.#told(row, one)));
  }

  async #send(row: GridRow, promptTokens: number): Promise<Sent> {
    const traceId = randomBytes(16).toString('hex');
    const ask = PERSONA_ASKS[row.persona][row.route];
    if (ask === undefined) throw new Error(`${row.persona} has no route ${row.route}`);
    const prompt = 'x'.repeat(promptTokens * CHARS_PER_TOKEN);
    const { path, body } = ask({ prompt, maxTokens: OUTPUT_TOKENS, stream: row.stream ?? true });
    const { host } = this.#cellOf(row);
    const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
    const answer = await sendRequest({
      url: `http://127.0.0.1:${this.#sidecar.listenPort}${path}`,
      headers: { host, 'x-request-id': traceId, traceparent },
      body: JSON.stringify(body),
    });
    return { traceId, answer };
  }

  async #told(row: GridRow, { traceId, answer }: Sent): Promise<GridExchange> {
    const truth = this.#cellOf(row).engine.truth(traceId);
    if (truth === undefined) throw new Error(`the engine knows nothing of a request (${row.persona} ${row.route})`);
    const { queueNs, prefillNs } = timesOf(truth);
    const entry = await this.#sidecar.record(traceId, ({ trace }) => trace?.traceId === traceId);
    return { queueNs, prefillNs, engineLateNs: lateNs(truth), answer, entry };
  }

  #cellOf(row: GridRow): Cell {
    const cell = this.#cells.get(row);
    if (cell === undefined) throw new Error('this row is not of this grid');
    return cell;
  }
}

/** Counters tell mostly of windows, and the grid is about exchanges: they are polled where a row says so. */
function routeLine({ counters, perfMetrics }: GridRow, { host, engine: { url } }: Cell, name: string): string {
  const polled = counters === undefined ? 'off' : `"${url}${counters}"`;
  const list = perfMetrics === true ? `, engine_perf_metrics: "${url}/perf_metrics"` : '';
  return `  - { name: ${name}, host: ${host}, upstream: "${url}", engine_metrics: ${polled}${list} }`;
}

/** Due → given to the socket: of a head that is due with the slot, of the first write and of the last. */
function lateNs({ headAtNs = 0, prefillAtNs = 0, tokenAtNs: [firstTokenAtNs = 0], writes }: RequestTruth): number {
  const isSlotHead = headAtNs >= prefillAtNs && headAtNs < firstTokenAtNs;
  const ofWrites = [0, -1].map((index) => (writes.writtenAtNs.at(index) ?? 0) - (writes.dueAtNs.at(index) ?? 0));
  return ofWrites.reduce((sum, ns) => sum + ns, isSlotHead ? headAtNs - prefillAtNs : 0);
}

async function startCell(row: GridRow, host: string): Promise<Cell> {
  const exporter: Cell['exporter'] = {};
  const { persona, spans, perfMetrics } = row;
  const engine = await startReferenceEngine({
    persona,
    model: MODEL,
    models: ['m'],
    signals: { ...row.signals, spans: spans !== undefined, perfMetrics: perfMetrics === true },
    onSpans: (made) => exporter.current?.onSpans(made),
  });
  return { host, engine, exporter };
}
