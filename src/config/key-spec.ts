// What the table of keys says of one key. The keys themselves stand in keys.ts and its parts.
import type { Reader } from './values.ts';

export interface KeySpec {
  /** How the value is written in help texts; a switch has none. */
  readonly placeholder: string;
  /** Takes true or false, and as a flag may stand alone. */
  readonly isSwitch?: true;
  /** May be given several times as a flag. */
  readonly isList?: true;
  readonly unit?: 's' | 'ms' | 'bytes' | 'tokens';
  /** What holds when nobody sets the key, as somebody would write it; absent when there is no default. */
  readonly fallback?: string;
  /** One sentence. */
  readonly help: string;
  readonly read: Reader<unknown>;
}

/** Keeps each key's own value type while checking its shape. */
export const key = <Value>(spec: Omit<KeySpec, 'read'> & { readonly read: Reader<Value> }): typeof spec => spec;
