// A measured step beside its floor: how many times above, and how much of the memory's bandwidth was used. Pure.
import { passFloor, passReadBytes } from './pass.ts';
import type { FloorLoad, FloorSetup } from './setup.ts';

export interface MeasuredStep {
  readonly measuredMs: number;
  /** Of the same load, by the set-up's mode and rates. */
  readonly floorMs: number;
  /** Measured over floor. */
  readonly timesFloor: number;
  /** What had to be read, over what could have been read in the measured time at peak bandwidth. */
  readonly bandwidthRatio: number;
}

/** `load` without its chunk: a median step carries none, or the engine has no steps without. */
export function besideFloor(setup: FloorSetup, load: FloorLoad, measuredMs: number): MeasuredStep {
  const bare = { ...load, chunkTokens: 0 };
  const floorMs = passFloor(setup, bare).stepMs;
  return {
    measuredMs,
    floorMs,
    timesFloor: measuredMs / floorMs,
    bandwidthRatio: passReadBytes(setup, bare) / setup.hardware.bytesPerSecond / (measuredMs / 1e3),
  };
}
