// W3C Trace Context (level 1 and the random flag of level 2) for a hop that takes part in the trace:
// what comes in, which ids are ours, what goes on to the engine. Decides sampling itself, so that an
// engine is never made to trace what we do not.
import { randomFillSync } from 'node:crypto';
import type { TraceIds } from '../tape/entries.ts';
import { fieldList } from '../base/fields.ts';
import type { SamplerSettings } from './settings.ts';

// No comma in what a later version may add: it would be the border to a second field of that name.
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[^,]*)?$/;
const ZERO_TRACE = '0'.repeat(32);
const ZERO_SPAN = '0'.repeat(16);
const SAMPLED_FLAG = 1;
const RANDOM_FLAG = 2;

interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** A valid `traceparent`, or undefined: malformed, all zero, version ff or sent twice. */
export function parseTraceparent(value: string | undefined): TraceParent | undefined {
  const match = value === undefined ? null : TRACEPARENT.exec(value);
  if (match === null) return undefined;
  const [, version, traceId, spanId, flags, rest] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string?,
  ];
  if (version === 'ff' || traceId === ZERO_TRACE || spanId === ZERO_SPAN) return undefined;
  // Version 00 has exactly four parts; later ones may have more, which we do not understand.
  if (version === '00' && rest !== undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export interface TraceStep {
  readonly ids: TraceIds;
  /** The request's fields with our own `traceparent`. */
  readonly fields: string[];
}

/** Takes one step of the trace: our ids, and the fields for the engine. */
export function stepTrace(fields: readonly string[], sampler: SamplerSettings): TraceStep {
  const parent = parseTraceparent(fieldList(fields, 'traceparent')?.trim());
  const drawn = drawIds();
  const traceId = parent?.traceId ?? drawn.slice(0, 32);
  const sampled = decide(sampler, traceId, parent);
  const ids: TraceIds = {
    traceId,
    parentSpanId: parent?.spanId,
    serverSpanId: drawn.slice(32, 48),
    clientSpanId: drawn.slice(48),
    sampled,
  };
  const random = parent === undefined ? RANDOM_FLAG : parent.flags & RANDOM_FLAG;
  const flags = (sampled ? SAMPLED_FLAG : 0) | random;
  const value = `00-${traceId}-${ids.clientSpanId}-0${flags}`;
  return { ids, fields: replaceTrace(fields, value, parent !== undefined) };
}

/** Our `traceparent` in the place of the old one; `tracestate` goes when its parent was no good. */
function replaceTrace(fields: readonly string[], value: string, keepState: boolean): string[] {
  const replaced: string[] = [];
  let placed = false;
  for (let i = 0; i < fields.length; i += 2) {
    const name = (fields[i] as string).toLowerCase();
    if (name === 'tracestate' && !keepState) continue;
    if (name !== 'traceparent') {
      replaced.push(fields[i] as string, fields[i + 1] as string);
    } else if (!placed) {
      replaced.push(fields[i] as string, value);
      placed = true;
    }
  }
  if (!placed) replaced.push('traceparent', value);
  return replaced;
}

function decide(sampler: SamplerSettings, traceId: string, parent: TraceParent | undefined): boolean {
  if (sampler.parentBased && parent !== undefined) return (parent.flags & SAMPLED_FLAG) !== 0;
  switch (sampler.root) {
    case 'always_on':
      return true;
    case 'always_off':
      return false;
    case 'traceidratio':
      // At 1 the bound would leave out one share of 2^32.
      return sampler.ratio >= 1 || traceIdShare(traceId) < Math.floor(sampler.ratio * 0xffff_ffff);
  }
}

/** The 32-bit number that OpenTelemetry's JavaScript ratio sampler compares (sdk-trace, TraceIdRatioBasedSampler). */
function traceIdShare(traceId: string): number {
  let share = 0;
  for (let i = 0; i < 4; i += 1) share = (share ^ Number.parseInt(traceId.slice(i * 8, i * 8 + 8), 16)) >>> 0;
  return share;
}

const pool = Buffer.alloc(4096);
let poolAt = pool.length;
/** A trace id and two span ids. */
const IDS_BYTES = 16 + 8 + 8;
/** None of them may be all zero. */
const HAS_ZERO_ID = /^0{32}|^.{32}0{16}|0{16}$/;

/** Hex of random bytes for all ids of an exchange. Drawn from a pool: one system call serves 128 exchanges. */
function drawIds(): string {
  if (poolAt + IDS_BYTES > pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  const hex = pool.toString('hex', poolAt, poolAt + IDS_BYTES);
  poolAt += IDS_BYTES;
  return HAS_ZERO_ID.test(hex) ? drawIds() : hex;
}
