// Makes JSON texts wrong in the ways in which engines and hops get them wrong, and in some they would
// have to be made to. Structure is changed at random places of a value; what no value can hold, such as a
// key twice or a number too large, is written as text.

/** Numbers from 0 up to 1, without 1. */
export type Random = () => number;

/** A text that stands where a value would. */
class Verbatim {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Holder = Record<string, unknown> | unknown[];
/** A place in a value: `holder[key]`. */
interface Slot {
  readonly holder: Holder;
  readonly key: string;
}

const DEPTH = 10_000;
const OTHERS: readonly unknown[] = [true, false, 0, -1, 1.5, '', 'x', [], {}, [null], ['x'], [[]], { x: 1 }, '1', ' '];
const NUMBERS = ['1e999', '-1e999', '123456789012345678901234567890', '9007199254740993', '1e-400', '-0', '1e15'];
const DEEP = [
  '['.repeat(DEPTH) + ']'.repeat(DEPTH),
  '{"a":'.repeat(DEPTH) + '1' + '}'.repeat(DEPTH),
  // These are no JSON at all.
  '['.repeat(DEPTH),
  '{"a":'.repeat(DEPTH),
];

/** A generator of its own, so that a seed tells everything (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** The text with one to three changes; text that is no JSON is only cut or joined to itself. */
export function mutateJson(text: string, random: Random): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return breakText(text, random);
  }
  const root = { value };
  const count = 1 + Math.floor(random() * 3);
  for (let change = 0; change < count; change += 1) {
    const slots = slotsOf(root);
    if (slots.length > 0) pick(random, CHANGES)(pick(random, slots), random, root);
  }
  const mutated = write(root.value);
  return random() < 0.1 ? breakText(mutated, random) : mutated;
}

type Change = (slot: Slot, random: Random, root: Holder) => void;

const CHANGES: readonly Change[] = [
  (slot) => put(slot, null),
  (slot, random) => put(slot, pick(random, OTHERS)),
  (slot, random) => put(slot, pick(random, OTHERS)),
  (slot, random) => put(slot, new Verbatim(pick(random, NUMBERS))),
  (slot, random) => put(slot, new Verbatim(pick(random, DEEP))),
  (slot) => put(slot, 'ü'.repeat(5_000)),
  remove,
  // The value where its holder was, and the value in a list and under a name of its own.
  (slot) => put(slot, [get(slot)]),
  (slot) => put(slot, { value: get(slot) }),
  (slot) =>
    put(
      slot,
      Array.from({ length: 20 }, () => get(slot)),
    ),
  // The right value first and another behind it, and the other way round.
  (slot, random) => repeatKey(slot, get(slot), pick(random, OTHERS)),
  (slot, random) => repeatKey(slot, pick(random, OTHERS), get(slot)),
  (slot) => put(slot, new Verbatim(`{"__proto__":${write(get(slot))},"constructor":null,"toString":1}`)),
  (slot, random, root) => {
    const other = pick(random, slotsOf(root));
    const value = get(other);
    put(other, get(slot));
    put(slot, value);
  },
  (_, __, root) => {
    // Null everywhere, the structure kept.
    for (const slot of slotsOf(root)) if (typeof get(slot) !== 'object') put(slot, null);
  },
];

/** Every place in the value, without those inside of what changes have written. */
function slotsOf(root: Holder): Slot[] {
  const slots: Slot[] = [];
  const pending: Holder[] = [root];
  // Swapped values may hold each other; none is looked at twice.
  const seen = new Set<Holder>();
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    if (seen.has(holder)) continue;
    seen.add(holder);
    for (const key of Object.keys(holder)) {
      slots.push({ holder, key });
      const value = get({ holder, key });
      if (typeof value === 'object' && value !== null && !(value instanceof Verbatim)) pending.push(value as Holder);
    }
  }
  return slots;
}

function get({ holder, key }: Slot): unknown {
  return (holder as Record<string, unknown>)[key];
}

function put({ holder, key }: Slot, value: unknown): void {
  (holder as Record<string, unknown>)[key] = value;
}

function remove({ holder, key }: Slot): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

/** Only objects have keys; elsewhere the first value stands alone. */
function repeatKey(slot: Slot, first: unknown, second: unknown): void {
  if (Array.isArray(slot.holder)) put(slot, first);
  else put(slot, new Verbatim(`${write(first)},${JSON.stringify(slot.key)}:${write(second)}`));
}

/** JSON with the texts as they are. A value inside of itself, as two changes can make it, ends as null. */
function write(value: unknown, above: readonly unknown[] = []): string {
  if (value instanceof Verbatim) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (above.includes(value)) return 'null';
  const within = [...above, value];
  if (Array.isArray(value)) return `[${value.map((item) => write(item, within)).join(',')}]`;
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${write(item, within)}`);
  return `{${fields.join(',')}}`;
}

function breakText(text: string, random: Random): string {
  const at = Math.floor(random() * text.length);
  return random() < 0.5 ? text.slice(0, at) : text.slice(0, at) + text;
}
