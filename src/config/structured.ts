// The keys that have structure and so live in YAML only: routes and classes. Checks their shape and
// turns them into plain configuration. Knows nothing of files; faults are sentences without a place.
import * as v from 'valibot';
import { CLASS_RULES_MAX_COUNT, CLASSES_MAX_COUNT, ROUTES_MAX_COUNT, STALL_MAX_MS } from '../base/limits.ts';
import { bucketNames } from '../record/bucket-names.ts';
import { ENGINES } from '../record/engines.ts';
import type { ClassRule, ClassSpec } from '../record/traffic-class.ts';
import type { EngineConfig, RouteConfig, UpstreamAddress } from './config.ts';
import { checkPromises, type Promises, type RawClass } from './objectives.ts';
import { FLOOR_ROUTE_FIELDS, type FloorDefaults, routeFloor } from './floor-place.ts';
import { byReader, type Checked, LABEL, sentences } from './schema.ts';
import { readChoice, readHeaderName, readMetricsPlace, readUpstream, readUrl } from './values.ts';

/** Classes that exist without being configured. */
const BUILT_IN_CLASSES = ['interactive', 'batch', 'default'] as const;
/** Name of the route that the key `upstream` makes. */
const DEFAULT_ROUTE = 'default';

const PATH_PREFIX = v.pipe(v.string('expected text'), v.startsWith('/', 'expected a path that starts with "/"'));

const HOST = v.pipe(
  v.string('expected text'),
  v.toLowerCase(),
  v.regex(/^[a-z0-9._-]+$|^\[[0-9a-f:.]+\]$/, 'expected a host name without port, such as models.example.com'),
);

const ROUTE = v.strictObject({
  name: LABEL,
  upstream: byReader(readUpstream),
  prefix: v.optional(PATH_PREFIX),
  host: v.optional(HOST),
  engine: v.optional(byReader(readChoice(ENGINES))),
  engine_metrics: v.optional(byReader(readMetricsPlace)),
  engine_perf_metrics: v.optional(byReader(readUrl)),
  ...FLOOR_ROUTE_FIELDS,
});

const TEXT = v.pipe(v.string('expected text'), v.nonEmpty('expected text that is not empty'));

const RULE = v.pipe(
  v.strictObject({
    header: v.optional(
      v.pipe(
        v.strictObject({ name: byReader(readHeaderName), equals: v.optional(TEXT), prefix: v.optional(TEXT) }),
        v.check(
          (header) => (header.equals === undefined) !== (header.prefix === undefined),
          'expected either "equals" or "prefix"',
        ),
      ),
    ),
    path: v.optional(PATH_PREFIX),
    model: v.optional(TEXT),
    api_key_sha256: v.optional(
      v.pipe(
        v.string('expected text'),
        v.toLowerCase(),
        v.regex(/^[0-9a-f]{64}$/, 'expected the 64 hex digits of a SHA-256'),
      ),
    ),
    body: v.optional(
      v.strictObject({
        field: TEXT,
        equals: v.union([v.string(), v.number(), v.boolean()], 'expected text, a number, true or false'),
      }),
    ),
  }),
  v.check((rule) => Object.keys(rule).length > 0, 'expected at least one of header, path, model, api_key_sha256, body'),
);

const STALL_MS = v.pipe(
  v.number('expected a number of ms'),
  v.integer('expected a whole number of ms'),
  v.minValue(1, 'expected at least 1 ms'),
  v.maxValue(STALL_MAX_MS, `expected at most ${STALL_MAX_MS} ms`),
);

const CLASS = v.pipe(
  v.strictObject({
    name: LABEL,
    stall_ms: v.optional(STALL_MS),
    match: v.optional(
      v.pipe(
        v.array(RULE, 'expected a list of rules'),
        v.maxLength(CLASS_RULES_MAX_COUNT, `expected at most ${CLASS_RULES_MAX_COUNT} rules`),
      ),
      [],
    ),
    // What is promised is looked at by checkPromises.
    preset: v.optional(v.unknown()),
    objectives: v.optional(v.unknown()),
    job: v.optional(v.unknown()),
  }),
  v.check(
    (each) => each.name !== 'default' || each.match.length === 0,
    '"default" takes what no rule matches, so it can have no rules',
  ),
);

const ROUTES = v.pipe(
  v.array(ROUTE, 'expected a list of routes'),
  v.maxLength(ROUTES_MAX_COUNT, `expected at most ${ROUTES_MAX_COUNT} routes`),
);

/** The single keys that routes fall back to. */
export interface RouteDefaults {
  /** Takes what no route does. */
  readonly upstream: UpstreamAddress | undefined;
  readonly engine: EngineConfig;
  readonly floor: FloorDefaults;
}

/** Configured routes in their order; `upstream`, when set, takes what none of them does. */
export function checkRoutes(raw: unknown, { upstream, engine, floor }: RouteDefaults): Checked<readonly RouteConfig[]> {
  const parsed = v.safeParse(ROUTES, raw ?? []);
  if (!parsed.success) return { value: [], faults: sentences('routes', parsed.issues, FIELDS) };
  const faults: string[] = [];
  const routes = parsed.output.map((route, index) => {
    const place = routeFloor(route, `routes[${index}]`, floor);
    faults.push(...place.faults);
    return toRoute(route, engine, place.value);
  });
  if (upstream !== undefined) {
    const rest = { upstream, engine, ...definedFloor(floor.place) };
    routes.push({ name: DEFAULT_ROUTE, prefix: undefined, host: undefined, ...rest });
  }
  return { value: routes, faults: [...faults, ...repeatedNames('routes', routes)] };
}

function toRoute(route: v.InferOutput<typeof ROUTE>, engine: EngineConfig, floor: RouteConfig['floor']): RouteConfig {
  const { name, prefix, host, upstream } = route;
  return { name, prefix, host, upstream, engine: engineOf(route, engine), ...definedFloor(floor) };
}

function definedFloor(floor: RouteConfig['floor']): Pick<RouteConfig, 'floor'> {
  return floor === undefined ? {} : { floor };
}

/** The engine's kind may hold for all routes, but one engine's URLs belong to the key `upstream` alone. */
function engineOf(route: v.InferOutput<typeof ROUTE>, fallback: EngineConfig): EngineConfig {
  return {
    name: route.engine ?? fallback.name,
    metrics: route.engine_metrics ?? (fallback.metrics === 'off' ? 'off' : 'auto'),
    perfMetricsUrl: route.engine_perf_metrics,
  };
}

/** The single keys that classes go by. */
export interface ClassDefaults {
  readonly stallMs: number;
  readonly promptBucketEdges: readonly number[];
}

/** Configured classes in their order, then the built-in ones that are missing, `default` last. */
export function checkClasses(raw: unknown, defaults: ClassDefaults): Checked<readonly ClassSpec[]> {
  const { stallMs } = defaults;
  const promises = promisesOf(raw, bucketNames(defaults.promptBucketEdges));
  const faults = promises.flatMap((each) => each.faults);
  const parsed = v.safeParse(v.array(CLASS, 'expected a list of classes'), raw ?? []);
  if (!parsed.success) return { value: [], faults: [...sentences('classes', parsed.issues, FIELDS), ...faults] };
  const configured = parsed.output.map((each, index) => toClass(each, stallMs, promises[index]?.value));
  faults.push(...repeatedNames('classes', configured));
  const missing = BUILT_IN_CLASSES.filter((name) => configured.every((each) => each.name !== name));
  const all = [...configured, ...missing.map((name): ClassSpec => ({ name, stallMs, rules: [] }))];
  all.sort((left, right) => Number(left.name === 'default') - Number(right.name === 'default'));
  if (all.length > CLASSES_MAX_COUNT) {
    faults.push(
      `classes: ${all.length} classes, the built-in ones included, are more than the ${CLASSES_MAX_COUNT} allowed.`,
    );
  }
  return { value: all, faults };
}

/** Of each item of the list, also where something else is wrong with it: all faults are told at once. */
function promisesOf(raw: unknown, buckets: readonly string[]): readonly Checked<Promises>[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((each: unknown, index) => {
    const fields = typeof each === 'object' && each !== null ? (each as RawClass) : {};
    return checkPromises(fields, `classes[${index}]`, buckets);
  });
}

function toClass(each: v.InferOutput<typeof CLASS>, stallMs: number, promises: Promises | undefined): ClassSpec {
  const { name, stall_ms: own = stallMs, match } = each;
  return { name, stallMs: own, rules: match.map((rule) => toRule(rule)), ...promises };
}

function toRule(rule: v.InferOutput<typeof RULE>): ClassRule {
  const { header, path, model, api_key_sha256: apiKeySha256, body } = rule;
  return {
    ...(header && { header: definedOnly(header) }),
    ...(path !== undefined && { path }),
    ...(model !== undefined && { model }),
    ...(apiKeySha256 !== undefined && { apiKeySha256 }),
    ...(body && { body }),
  };
}

function definedOnly(header: { name: string; equals?: string | undefined; prefix?: string | undefined }) {
  const { name, equals, prefix } = header;
  return { name, ...(equals !== undefined && { equals }), ...(prefix !== undefined && { prefix }) };
}

function repeatedNames(what: string, items: readonly { readonly name: string }[]): string[] {
  const names = items.map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((name) => `${what}: the name "${name}" is used more than once; names must differ.`);
}

/** Every field of the schemas above, for guesses at what was meant. */
const FIELDS = [
  'name',
  'upstream',
  'prefix',
  'host',
  'engine',
  'engine_metrics',
  'engine_perf_metrics',
  ...Object.keys(FLOOR_ROUTE_FIELDS),
  'stall_ms',
  'match',
  'preset',
  'objectives',
  'job',
  'header',
  'path',
  'model',
  'api_key_sha256',
  'body',
  'field',
  'equals',
];
