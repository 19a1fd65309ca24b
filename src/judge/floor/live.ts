// A route's decode step beside its floor, from what was seen of late: the contract between who watches and who
// shows it. Pure. The mode is roofline at full rates, the lower bound: how far above it a step is, is the answer.
import type { FloorPlace } from '../../record/floor-facts.ts';
import { besideFloor } from './measured.ts';
import { passFloor } from './pass.ts';
import type { FloorSetup } from './setup.ts';

/** What was seen of a route lately. */
export interface FloorSight {
  /** Sequences in the engine's batch, as a mean of looks at which there were any. */
  readonly batchCount: number;
  /** Tokens of prompt and answer that one of them looks back on, as a mean over all of them. */
  readonly contextTokens: number;
  /** Who counted the batch: the engine all of its clients', or rubato the streams that pass here. */
  readonly basis: BatchBasis;
  /** Median gap between reads that each brought one event; absent while there are too few. */
  readonly stepNs?: number;
}

export type BatchBasis = 'engine' | 'seen';

/** Absent parts are not known now. */
export interface FloorState {
  readonly route: string;
  readonly model: string;
  readonly hardware: string;
  readonly tensorParallelCount: number;
  readonly mode: 'roofline';
  readonly basis?: BatchBasis;
  readonly batchCount?: number;
  readonly contextTokens?: number;
  readonly floorNs?: number;
  readonly stepNs?: number;
  /** Measured over floor. */
  readonly timesFloor?: number;
  /** Of the memory's bandwidth, what the measured step made use of. */
  readonly bandwidthRatio?: number;
}

const NS_PER_MS = 1e6;

export function floorState(route: string, place: FloorPlace, sight: FloorSight | undefined): FloorState {
  const { model, hardware, tensorParallelCount } = place;
  const named = { route, model: model.name, hardware: hardware.name, tensorParallelCount, mode: 'roofline' } as const;
  if (sight === undefined) return named;
  const { batchCount, contextTokens, basis, stepNs } = sight;
  const setup: FloorSetup = { ...place, bandwidthRatio: 1, computeRatio: 1, overlap: 'roofline' };
  const load = { batchCount, contextTokens, chunkTokens: 0, draftTokens: 0 };
  const floorNs = Math.round(passFloor(setup, load).stepMs * NS_PER_MS);
  const seen = { ...named, basis, batchCount, contextTokens, floorNs };
  if (stepNs === undefined) return seen;
  const { bandwidthRatio } = besideFloor(setup, load, stepNs / NS_PER_MS);
  return { ...seen, stepNs, timesFloor: stepNs / floorNs, bandwidthRatio };
}
