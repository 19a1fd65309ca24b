// An answer that is written down beforehand: bytes and the moments at which they are to be written.
// Plain data and its faults; who plays it is elsewhere.

/** Milliseconds count from the moment the engine received the request's head. */
export interface Script {
  /** Default 200. */
  readonly status?: number;
  /** Default: an event stream. Lists make a field appear several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** When the head leaves; default at once. */
  readonly headAtMs?: number;
  /** In order of time. */
  readonly writes: readonly { readonly atMs: number; readonly bytes: string | Uint8Array }[];
  /** When the answer ends; default with the last write. */
  readonly endAtMs?: number;
  /** `cut`: the connection is destroyed instead of the body ended. Default `clean`. */
  readonly ending?: 'clean' | 'cut';
}

/** Says what is wrong with a script, or nothing. */
export function scriptFaults(name: string, script: Script): string[] {
  const moments = [script.headAtMs ?? 0, ...script.writes.map((write) => write.atMs)];
  if (script.endAtMs !== undefined) moments.push(script.endAtMs);
  const faults: string[] = [];
  if (moments.some((atMs) => !Number.isFinite(atMs) || atMs < 0)) faults.push(`script ${name}: a moment is below 0`);
  if (moments.some((atMs, index) => index > 0 && atMs < (moments[index - 1] ?? 0))) {
    faults.push(`script ${name}: its moments are not in order of time`);
  }
  return faults;
}
