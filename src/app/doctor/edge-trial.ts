// Tries a short stream through each edge: whether what goes through the hop comes to the main listener, which the
// hop knows by its address. So a sidecar of the doctor's own listens there, unless one is running already; then
// the stream goes through that one, and its admin port says what it saw.
import { setTimeout as sleep } from 'node:timers/promises';
import { answerBytes, sendRequest } from '../../client/stream-client.ts';
import type { Config, EdgeConfig, HostPort } from '../../config/config.ts';
import { hostPortText } from '../../config/values.ts';
import type { Report } from '../../judge/report.ts';
import { asArray, asObject, parseJson } from '../../stream/json-value.ts';
import { type Running, startServe } from '../serve.ts';
import { apisFor } from './apis.ts';
import { listenFault } from './listen-fault.ts';
import { type Attempt, firstThatStreams, listModels, type TrialClient, type TrialOptions } from './trial-client.ts';

export interface EdgeTrial {
  readonly edge: EdgeConfig;
  /** Why nothing was tried; absent when it was. */
  readonly skipped?: string;
  /** What the hop answered. */
  readonly attempts: readonly Attempt[];
  /** Of the latest exchange at the edge. */
  readonly report: Report | undefined;
}

/** How long streams that others sent meanwhile may go on. */
const DRAIN_MS = 5_000;
const LOOK_EVERY_MS = 200;
const ASK_MAX_MS = 2_000;
/** The hop answers to any path, whatever the routes of the main listener say. */
const APIS = apisFor([{ prefix: undefined, host: undefined }]);

export async function runEdgeTrials(config: Config, options: TrialOptions): Promise<readonly EdgeTrial[]> {
  const { edges, listen, listenTls } = config;
  if (edges.length === 0) return [];
  const skip = (skipped: string): EdgeTrial[] =>
    edges.map((edge) => ({ edge, skipped, attempts: [], report: undefined }));
  if (listenTls !== undefined) return skip('with --tls-cert the doctor does not speak to its own listener');
  if (listen.port === 0) return skip('the hop cannot know --listen with port 0');
  const code = await listenFault(listen);
  if (code === undefined) return ownSidecar(config, options);
  if (code === 'EADDRINUSE' && (await runningReports(config.admin)) !== undefined) return running(config, options);
  return skip(`--listen ${placeOf(listen)} cannot be had (${code}), and no rubato answers at --admin`);
}

/** Where nobody listens yet: the hop can reach nothing anyway, so this takes nothing from anybody. */
async function ownSidecar(config: Config, options: TrialOptions): Promise<readonly EdgeTrial[]> {
  const anyPort = { host: '127.0.0.1', port: 0 };
  const reports: Report[] = [];
  const sidecar = await startServe(
    {
      ...config,
      admin: anyPort,
      edges: config.edges.map((edge) => ({ ...edge, listen: anyPort })),
      peer: undefined,
      otlpListen: undefined,
      record: undefined,
      logLevel: 'silent',
      propagate: 'on',
      drainDelayMs: 0,
      drainMs: DRAIN_MS,
    },
    { env: {}, sinks: [{ name: 'doctor', onReport: (report) => void reports.push(report) }] },
  );
  try {
    const trials: EdgeTrial[] = [];
    for (const edge of config.edges) {
      trials.push(await tryEdge(edge, options, { url: `http://${listenOf(sidecar, edge)}`, reports }));
    }
    return trials;
  } finally {
    await sidecar.close('signal');
  }
}

function listenOf({ edges }: Running, { name, listen }: EdgeConfig): string {
  return edges.find((each) => each.name === name)?.listen ?? placeOf(listen);
}

async function running({ edges, admin }: Config, options: TrialOptions): Promise<readonly EdgeTrial[]> {
  const reports: Report[] = [];
  const known = new Set(((await runningReports(admin)) ?? []).map(({ id }) => id));
  const stopped = new AbortController();
  const looking = look(admin, known, reports, stopped.signal);
  try {
    const trials: EdgeTrial[] = [];
    for (const edge of edges) {
      trials.push(await tryEdge(edge, options, { url: `http://${placeOf(edge.listen)}`, reports }));
    }
    return trials;
  } finally {
    stopped.abort();
    await looking;
  }
}

/** One stream through one hop. `reports` are of all exchanges, in the order in which they became known. */
async function tryEdge(
  edge: EdgeConfig,
  options: TrialOptions,
  { url, reports }: { readonly url: string; readonly reports: readonly Report[] },
): Promise<EdgeTrial> {
  const seen = (): Report[] => reports.filter(({ record }) => record.edge === edge.name);
  const client: TrialClient = { url, options, reports: seen, apis: APIS };
  options.onStep(`trying a short stream through the hop ${edge.name}`);
  const list = await listModels(client);
  const attempts: Attempt[] = [];
  await firstThatStreams(client, options.model ?? list.models?.[0] ?? 'default', attempts);
  return { edge, attempts, report: seen().at(-1) };
}

// --- a rubato that runs already ---------------------------------------------------------------------

/** Collects the reports of exchanges at edges that were not known before, until it is told to stop. */
async function look(admin: HostPort, known: Set<string>, reports: Report[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const rows = (await runningReports(admin)) ?? [];
    for (const { id, edge } of rows.toReversed()) {
      if (known.has(id)) continue;
      known.add(id);
      const report = edge === undefined ? undefined : await askAdmin(admin, `/api/streams/${id}`);
      // What this very program writes; another version of it may not, and then nothing is found in it.
      if (report !== undefined) reports.push(report as unknown as Report);
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

interface Row {
  readonly id: string;
  readonly edge: string | undefined;
}

/** Recent exchanges, the latest first; undefined when no rubato answers there. */
async function runningReports(admin: HostPort): Promise<readonly Row[] | undefined> {
  const recent = asArray((await askAdmin(admin, '/api/streams'))?.['recent']);
  return recent?.flatMap((each) => {
    const { id, edge } = asObject(each) ?? {};
    return typeof id === 'string' ? [{ id, edge: typeof edge === 'string' ? edge : undefined }] : [];
  });
}

async function askAdmin(admin: HostPort, path: string): Promise<Record<string, unknown> | undefined> {
  const url = `http://${placeOf(admin)}${path}`;
  const answer = await sendRequest({ url, method: 'GET', signal: AbortSignal.timeout(ASK_MAX_MS) });
  if (answer.status !== 200 || answer.end !== 'complete') return undefined;
  return asObject(parseJson(answerBytes(answer).toString()));
}

/** Where it can be spoken to from this machine. */
function placeOf({ host, port }: HostPort): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return hostPortText({ host: name, port });
}
