// The YAML key `admission`: who may be at the engine at once, who waits, who is refused. Off without it. Checks
// its shape and that each class it names can be told by the head of a request. Pure; knows nothing of files.
import * as v from 'valibot';
import { ADMISSION_WAIT_MAX_MS, ADMISSION_WAITING_MAX_COUNT, CLIENTS_MAX_COUNT } from '../base/client-limits.ts';
import { CLASSES_MAX_COUNT } from '../base/limits.ts';
import type { ClassSpec } from '../record/traffic-class.ts';
import type { ClassTurnsConfig, TurnsConfig } from './config.ts';
import { didYouMean } from './nearest.ts';
import { type Checked, LABEL, sentences } from './schema.ts';

function whole(what: string, least: number, most: number) {
  return v.pipe(
    v.number(`expected a number of ${what}`),
    v.integer(`expected a whole number of ${what}`),
    v.minValue(least, `expected at least ${least}`),
    v.maxValue(most, `expected at most ${most}`),
  );
}

const RUNNING = whole('requests', 1, CLIENTS_MAX_COUNT);

const ADMISSION = v.pipe(
  v.strictObject({
    max_running: v.optional(RUNNING),
    classes: v.optional(
      v.pipe(
        v.array(
          v.strictObject({
            class: LABEL,
            priority: v.optional(whole('a priority', -100, 100), 0),
            max_running: v.optional(RUNNING),
            max_waiting: v.optional(whole('requests', 0, ADMISSION_WAITING_MAX_COUNT)),
            max_wait_ms: v.optional(whole('ms', 1, ADMISSION_WAIT_MAX_MS)),
          }),
          'expected a list of classes',
        ),
        v.maxLength(CLASSES_MAX_COUNT, `expected at most ${CLASSES_MAX_COUNT} classes`),
      ),
      [],
    ),
  }),
  v.check(
    ({ max_running: all, classes }) => all !== undefined || classes.some((each) => each.max_running !== undefined),
    'it limits nothing; give it max_running, or one to a class',
  ),
);

const FIELDS = ['max_running', 'classes', 'class', 'priority', 'max_waiting', 'max_wait_ms'];

/** Of a class that says nothing of its own. */
const MAX_WAITING_COUNT = 100;
const MAX_WAIT_MS = 10_000;

/** Undefined without the key, which holds nobody back. */
export function checkTurns(raw: unknown, known: readonly ClassSpec[]): Checked<TurnsConfig | undefined> {
  if (raw === undefined) return { value: undefined, faults: [] };
  const parsed = v.safeParse(ADMISSION, raw);
  if (!parsed.success) return { value: undefined, faults: sentences('admission', parsed.issues, FIELDS) };
  const { max_running: maxRunningCount, classes: listed } = parsed.output;
  const turnsOf = (name: string): ClassTurnsConfig => {
    const own = listed.find((each) => each.class === name);
    return {
      priority: own?.priority ?? 0,
      maxRunningCount: own?.max_running,
      maxWaitingCount: own?.max_waiting ?? MAX_WAITING_COUNT,
      maxWaitMs: own?.max_wait_ms ?? MAX_WAIT_MS,
    };
  };
  return {
    value: { maxRunningCount, turnsOf: Object.fromEntries(known.map(({ name }) => [name, turnsOf(name)])) },
    faults: classFaults(
      listed.map((each) => each.class),
      known,
    ),
  };
}

function classFaults(listed: readonly string[], known: readonly ClassSpec[]): string[] {
  const names = known.map(({ name }) => name);
  return listed.flatMap((name, index) => {
    const at = `admission.classes[${index}].class:`;
    const spec = known.find((each) => each.name === name);
    if (spec === undefined) return [`${at} there is no class "${name}".${didYouMean(name, names)}`];
    if (listed.indexOf(name) !== index) return [`${at} "${name}" is listed twice.`];
    const needsBody = spec.rules.some(({ model, body }) => model !== undefined || body !== undefined);
    if (!needsBody) return [];
    return [
      `${at} "${name}" is told by the model or the body of a request, which nobody has read when it is admitted; ` +
        'tell it by a header, a path or an API key.',
    ];
  });
}
