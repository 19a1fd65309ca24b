// The limits that a client asks for in the head of its request, `x-slo-ttft-ms` and its like. They are text from
// outside: a number of ms within bounds, or nothing that anybody goes by.
import { fieldValue } from '../base/fields.ts';
import { ASKED_MAX_MS } from '../base/objective-limits.ts';
import { defined } from '../measure/defined.ts';
import { ASKED_KINDS, askedHeader, type AskedKind, type AskedObjectives } from '../record/objective.ts';

/** Whole ms, or with up to three places behind the point; nothing longer is ever looked at as a number. */
const MS = /^\d{1,7}(\.\d{1,3})?$/;
const NS_PER_MS = 1e6;

/** Undefined when there is no such header; one that cannot be used is noted, and holds for nothing. */
export function askedObjectives(fields: readonly string[]): AskedObjectives | undefined {
  const unreadable: AskedKind[] = [];
  const read = (kind: AskedKind): number | undefined => {
    const text = fieldValue(fields, askedHeader(kind))?.trim();
    if (text === undefined) return undefined;
    const limitMs = MS.test(text) ? Number(text) : 0;
    if (limitMs > 0 && limitMs <= ASKED_MAX_MS) return Math.round(limitMs * NS_PER_MS);
    unreadable.push(kind);
    return undefined;
  };
  const [ttftNs, tpotNs, gapNs] = ASKED_KINDS.map((kind) => read(kind));
  const asked = defined({ ttftNs, tpotNs, gapNs, unreadable: unreadable.length > 0 ? unreadable : undefined });
  return Object.keys(asked).length === 0 ? undefined : asked;
}
