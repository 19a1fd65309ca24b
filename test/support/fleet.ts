// Many streams at once through a sidecar: what the engine writes when, and what each client got. Every
// stream has an id that its record carries too, and every chunk a text of its own, so that a byte of
// another stream, or one twice, changes the hash.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import { RawClient } from './raw-client.ts';
import { PLAN_FIELD, type EngineExchange, type RawEngine } from './raw-engine.ts';
import { c, chatRequest, delta, DONE, END, event, HEAD } from './script.ts';
import { sleep } from './signal.ts';
import type { WireMessage } from './wire-parser.ts';

const WAIT_MS = 60_000;
/** Chunks of one stream in a row when nothing paces it, so that all streams go on together. */
const UNPACED_ROW = 8;

export interface FleetOptions {
  readonly engine: RawEngine;
  readonly port: number;
  readonly streamCount: number;
  /** Chunks of the chunked coding, the last of which ends the answer. */
  readonly chunkCount: number;
  /** Time between two chunks of a stream; 0 is as fast as the kernel takes them. */
  readonly paceMs: number;
  /** Bytes of text in a chunk. */
  readonly textBytes?: number;
  readonly name: string;
  readonly model?: (stream: number) => string;
  readonly lines?: (stream: number) => readonly string[];
  /** A silence of the engine before this chunk. */
  readonly stall?: (stream: number, chunk: number) => number;
}

export interface FleetStream {
  readonly id: string;
  readonly exchange: EngineExchange;
  readonly response: WireMessage;
}

/** Plays all streams to their ends. */
export async function playFleet(options: FleetOptions): Promise<FleetStream[]> {
  const streams = Array.from({ length: options.streamCount }, (_, stream) => stream);
  const clients = await Promise.all(streams.map(() => RawClient.open(options.port)));
  const played = await Promise.all(
    clients.map(async (client, stream): Promise<FleetStream> => {
      const id = `${options.name}-${stream}`;
      const plan = options.engine.plan((exchange) => playStream(exchange, options, stream));
      const lines = [`${PLAN_FIELD}: ${plan.id}`, ...(options.lines?.(stream) ?? [])];
      client.request(chatRequest({ model: options.model?.(stream) ?? 'm', lines }));
      return { id, exchange: await plan.exchange, response: await client.response(0, WAIT_MS) };
    }),
  );
  for (const client of clients) client.close();
  return played;
}

/** Each client has its engine's answer, byte for byte, and its end. */
export function expectFleetExact(streams: readonly FleetStream[]): void {
  const told = (message: WireMessage | undefined) => {
    return { bytes: message?.bodyBytes, sha256: message?.sha256, complete: message?.complete, status: message?.status };
  };
  for (const { exchange, response } of streams) expect(told(response)).toEqual(told(exchange.answer));
}

async function playStream(exchange: EngineExchange, options: FleetOptions, stream: number): Promise<void> {
  const { chunkCount, paceMs, textBytes = 8, name } = options;
  const more = { id: `${name}-${stream}` };
  await exchange.write(HEAD);
  // Streams start side by side and not in one turn, as those of an engine with many sequences.
  const startMs = performance.now() + (paceMs > 0 ? stream % paceMs : 0);
  let stalledMs = 0;
  for (let chunk = 0; chunk < chunkCount; chunk += 1) {
    stalledMs += options.stall?.(stream, chunk) ?? 0;
    const waitMs = startMs + stalledMs + chunk * paceMs - performance.now();
    if (paceMs > 0 && waitMs > 0) await sleep(waitMs);
    if (paceMs === 0 && chunk % UNPACED_ROW === 0) await nextTurn();
    const isLast = chunk === chunkCount - 1;
    const text = `${stream}:${chunk}`.padEnd(textBytes, '.');
    await exchange.write(c(isLast ? lastEvents(chunkCount - 1, stream, more) : delta({ content: text }, more)));
  }
  await exchange.write(END);
}

function lastEvents(outputTokens: number, stream: number, more: Record<string, unknown>): string {
  const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...more });
  const usage = { prompt_tokens: 10 + stream, completion_tokens: outputTokens };
  return finish + event({ choices: [], usage, ...more }) + DONE;
}
