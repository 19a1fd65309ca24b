// Why an exchange ended, and which end a fault met while passing on an answer stands for.
import type { WireEnd } from '../base/outcome.ts';
import { exceptionReason } from './guarded.ts';
import { ParseFault } from './response-head.ts';

export interface EndCause {
  readonly wireEnd: WireEnd;
  readonly reason: string;
}

/** How an exchange ends whose answer could not be read or written. */
export function parseCause(error: unknown, headSent: boolean): EndCause {
  const isFault = error instanceof ParseFault;
  // What Node refuses to write (a status, a character) is the engine's doing as well.
  const isRefused = (error as NodeJS.ErrnoException | undefined)?.code?.startsWith('ERR_') ?? false;
  if (!isFault && !isRefused) return { wireEnd: 'internal_error', reason: exceptionReason(error) };
  const reason = isFault ? error.message : 'not writable';
  return { wireEnd: headSent ? 'upstream_aborted' : 'upstream_bad_response', reason };
}
