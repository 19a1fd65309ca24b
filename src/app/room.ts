// How much room this machine, or its container, leaves to clients where the configuration does not say it: of
// memory, and of descriptors. Looked at when a configuration is taken, never on the way of a request.
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import {
  DESCRIPTORS_OF_CLIENT_COUNT,
  DESCRIPTORS_RESERVED_COUNT,
  RSS_OF_CONTAINER_RATIO,
} from '../base/client-limits.ts';

/** Memory from which nothing new is taken; undefined where the process may use all there is. */
export function roomInMemoryBytes(): number | undefined {
  const limitBytes = process.constrainedMemory();
  // Without a limit Node gives 0, or a number larger than any machine.
  return limitBytes > 0 && limitBytes < totalmem() ? Math.floor(limitBytes * RSS_OF_CONTAINER_RATIO) : undefined;
}

/**
 * Connections for which there are descriptors; undefined where that cannot be known (no Linux) or is not limited.
 * It must not come to the last one: an accept that fails for want of it is tried again at once, over and over, and
 * takes the thread's time from the streams it has.
 */
export function roomInDescriptorsCount(): number | undefined {
  try {
    return connectionsWithin(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return undefined;
  }
}

/** The same from the text of Linux's `/proc/…/limits`. */
export function connectionsWithin(limits: string): number | undefined {
  const soft = descriptorsWithin(limits);
  if (soft === undefined) return undefined;
  const reservedCount = Math.min(DESCRIPTORS_RESERVED_COUNT, Math.floor(soft / 2));
  return Math.max(1, Math.floor((soft - reservedCount) / DESCRIPTORS_OF_CLIENT_COUNT));
}

/** Descriptors that this text allows; undefined where it sets no limit. */
export function descriptorsWithin(limits: string): number | undefined {
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}
