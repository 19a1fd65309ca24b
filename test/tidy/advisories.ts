// Advisories that bear on what rubato runs, with the first version of each release line that has the
// fix. supply.test.ts holds the lock file against it. Sources are the packages' own security pages; an
// advisory belongs here when a package of the production tree, or one that might come back, was hit.

export interface Advisory {
  /** Name on the registry; `node` is the platform itself. */
  readonly package: string;
  readonly ids: readonly string[];
  /** One version a release line, ascending. A line above the last one began after the fix. */
  readonly fixedIn: readonly string[];
  /** What could have happened to a proxy. */
  readonly danger: string;
}

export const ADVISORIES: readonly Advisory[] = [
  {
    package: 'node',
    ids: ['CVE-2026-21710', 'CVE-2026-21714', 'CVE-2026-21717', 'CVE-2026-21637'],
    fixedIn: ['20.20.2', '22.22.2', '24.14.1', '25.8.2'],
    danger: 'a crash by a header named __proto__, memory of HTTP/2, hash flooding, an exception in SNI',
  },
  {
    package: 'node',
    ids: [
      'CVE-2026-48931',
      'CVE-2026-48930',
      'CVE-2026-48928',
      'CVE-2026-48934',
      'CVE-2026-48615',
      'CVE-2026-48619',
      'CVE-2026-48937',
    ],
    fixedIn: ['22.23.1', '24.18.0', '26.4.0'],
    danger: 'a response of one exchange read by the next on a kept connection',
  },
  {
    package: 'node',
    ids: ['CVE-2026-56846', 'CVE-2026-56848', 'CVE-2026-58040', 'CVE-2026-58044'],
    fixedIn: ['22.23.2', '24.18.1'],
    danger: 'faults of HTTP/2, and of the HTTP parser with very many fields',
  },
  {
    package: 'undici',
    ids: [
      'CVE-2026-1525',
      'CVE-2026-1526',
      'CVE-2026-1527',
      'CVE-2026-1528',
      'CVE-2026-2229',
      'CVE-2026-2581',
      'GHSA-2mjp-6q6p-2qxm',
    ],
    fixedIn: ['6.24.0', '7.24.0'],
    danger: 'smuggling by two lengths, CRLF through upgrade, bombs in WebSocket frames',
  },
  {
    package: 'undici',
    ids: [
      'CVE-2026-6733',
      'CVE-2026-6734',
      'CVE-2026-9678',
      'CVE-2026-9679',
      'CVE-2026-9697',
      'CVE-2026-11525',
      'CVE-2026-12151',
      'GHSA-35p6-xmwp-9g52',
    ],
    fixedIn: ['6.27.0', '7.28.0', '8.5.0'],
    danger: 'queue poisoning on reused connections',
  },
  {
    package: 'undici',
    ids: [
      'CVE-2026-13697',
      'CVE-2026-14643',
      'CVE-2026-15157',
      'CVE-2026-16728',
      'CVE-2026-16729',
      'GHSA-8xcm-r25x-g524',
    ],
    fixedIn: ['6.28.0', '7.29.0', '8.9.0'],
    danger: 'answers mixed up by the interceptors for retries and caching',
  },
  {
    package: '@fastify/reply-from',
    ids: ['CVE-2021-21321', 'GHSA-v2v2-hph8-q5xp', 'GHSA-2q7r-29rg-6m5h'],
    fixedIn: ['12.5.0'],
    danger: 'paths that leave the prefix, a body parsed and written anew',
  },
  {
    package: '@fastify/reply-from',
    ids: ['CVE-2026-33805', 'GHSA-gwhp-pf74-vj37', 'GHSA-v574-6498-x57v'],
    fixedIn: ['12.6.4'],
    danger: 'a client takes away fields that the proxy added; two upstreams under one key',
  },
  {
    package: '@fastify/http-proxy',
    ids: ['CVE-2021-21322', 'CVE-2026-33805', 'GHSA-gwhp-pf74-vj37'],
    fixedIn: ['11.4.4'],
    danger: 'a client takes away fields that the proxy added',
  },
  {
    package: 'fastify',
    ids: [
      'CVE-2025-32442',
      'CVE-2026-25223',
      'CVE-2026-25224',
      'GHSA-573f-x89g-hqp9',
      'CVE-2026-3635',
      'CVE-2026-33806',
    ],
    fixedIn: ['5.8.5'],
    danger: 'checks of bodies passed by, streams without back-pressure, trust in forwarded fields',
  },
  {
    package: 'fast-uri',
    ids: ['CVE-2026-6321', 'CVE-2026-6322', 'GHSA-q3j6-qgpj-74h6', 'CVE-2026-13676', 'GHSA-4c8g-83qw-93j6'],
    fixedIn: ['3.1.3', '4.0.1'],
    danger: 'addresses read in two ways',
  },
  {
    package: '@opentelemetry/exporter-prometheus',
    ids: ['CVE-2026-44902'],
    fixedIn: ['0.217.0'],
    danger: 'one malformed request ends the process (rubato answers scrapes itself)',
  },
  {
    package: '@opentelemetry/core',
    ids: ['CVE-2026-54285'],
    fixedIn: ['2.8.0'],
    danger: 'memory without bound from the baggage field',
  },
  {
    package: '@opentelemetry/propagator-jaeger',
    ids: ['CVE-2026-59892'],
    fixedIn: ['2.9.0'],
    danger: 'an exception from a field of the request',
  },
  {
    package: 'eventsource-parser',
    ids: ['line length: 3.0.8 and 3.1.0 in its change log'],
    fixedIn: ['3.1.0'],
    danger: 'work that grows with the square of a line, and no bound on what is kept',
  },
  {
    package: 'protobufjs',
    ids: [
      'CVE-2023-36665',
      'CVE-2026-41242',
      'CVE-2026-44291',
      'CVE-2026-45740',
      'CVE-2026-59877',
      'GHSA-j3f2-48v5-ccww',
    ],
    fixedIn: ['7.6.5', '8.6.6'],
    danger: 'code from a definition, recursion without end (loaded by no code path of rubato)',
  },
];

/** Packages that no tree of ours may hold, and why. */
export const BANNED: Readonly<Record<string, string>> = {
  'http-proxy': 'no release since 2020',
};

function numbersOf(version: string): readonly number[] {
  return (/^\d+\.\d+\.\d+/.exec(version)?.[0] ?? '').split('.').map(Number);
}

/** Below 0 when `one` is the older version. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  const at = a.findIndex((number, index) => number !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** Whether a version has the fix: its own line's, or its line began after the last one that needed it. */
export function isFixed(version: string, { fixedIn }: Advisory): boolean {
  const line = numbersOf(version)[0];
  const ofLine = fixedIn.find((fixed) => numbersOf(fixed)[0] === line);
  return compareVersions(version, ofLine ?? fixedIn.at(-1) ?? version) >= 0;
}
