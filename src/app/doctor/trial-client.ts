// The doctor's client: sends short streams to a sidecar and finds out what came of them by the sidecar's own
// reports. Knows nothing of where that sidecar runs.
import { nowNs } from '../../base/clock.ts';
import { fieldValue } from '../../base/fields.ts';
import { answerBytes, sendRequest, type StreamAnswer } from '../../client/stream-client.ts';
import type { Report } from '../../judge/report.ts';
import { asArray, asObject, parseJson } from '../../stream/json-value.ts';
import { type Api, apiForPath } from './apis.ts';

export interface TrialOptions {
  /** Path and query of the one request to try; absent: each known one until an answer streams. */
  readonly path: string | undefined;
  /** Absent: the first that the upstream lists. */
  readonly model: string | undefined;
  /** Goes out as a bearer token and as `x-api-key`. */
  readonly apiKey: string | undefined;
  /** Longest wait for one answer. */
  readonly answerMaxMs: number;
  readonly onStep: (step: string) => void;
}

/**
 * How an attempt went. `unanswered`, `unended`: no head, or no end, within the time for one answer · `whole`: an
 * answer in one piece · `tokenless`: a stream in which nothing was read that an engine generated.
 */
type AttemptEnd = 'streamed' | 'unanswered' | 'unended' | 'whole' | 'tokenless' | 'failed';

export interface Attempt {
  /** Without its query, in which a key may stand. */
  readonly path: string;
  /** Absent when no head came. */
  readonly status: number | undefined;
  readonly end: AttemptEnd;
  /** What went wrong with one that failed, in one word. */
  readonly reason: string | undefined;
}

export interface ModelList {
  /** Names that `GET /v1/models` lists, or Ollama's `/api/tags`; absent when there is no such list. */
  readonly models: readonly string[] | undefined;
  /** `owned_by` of the first of them, which self-hosted engines set to their own name. */
  readonly ownedBy: string | undefined;
  /** `Date` of the upstream's answer less our wall clock, ms; absent without the field. */
  readonly clockOffsetMs: number | undefined;
}

/** Words of the prompts: the long one makes prefill long enough to see when the head comes. */
export const PROMPT_WORDS = [8, 1_200, 1_200];
const REPORT_MAX_MS = 5_000;
const POLL_MS = 20;

/** Where requests go, and where the reports of what was sent there appear. */
export interface TrialClient {
  readonly url: string;
  readonly options: TrialOptions;
  /** In the order in which they came. */
  readonly reports: () => readonly Report[];
  readonly apis: readonly Api[];
}

/** The first of its APIs that streams; what was tried is added to `attempts`. */
export async function firstThatStreams(
  client: TrialClient,
  model: string,
  attempts: Attempt[],
): Promise<{ api: Api; report: Report } | undefined> {
  const { path, onStep } = client.options;
  const apis = path === undefined ? client.apis : [apiForPath(path)];
  for (const api of apis) {
    const shownPath = api.path.split('?', 1)[0] ?? '';
    onStep(`trying a short stream at ${shownPath}`);
    const { answer, report, end } = await stream(client, api, model, 0);
    const reason = end === 'failed' ? (failureOf(report) ?? answer.error) : undefined;
    attempts.push({ path: shownPath, status: answer.status, end, reason });
    if (report !== undefined && end === 'streamed') return { api, report };
    // Only a path that is not there is a reason to try the next; anything else would fail there as well.
    if (answer.status === undefined || ![404, 405, 501].includes(answer.status)) return undefined;
  }
  return undefined;
}

/** One request for a stream, what came of it, and its report if there was one in time. */
// oxlint-disable-next-line max-params -- four plain values that belong to one call
export async function stream(
  client: TrialClient,
  api: Api,
  model: string,
  round: number,
): Promise<{ answer: StreamAnswer; report: Report | undefined; end: AttemptEnd }> {
  const seenCount = client.reports().length;
  const body = JSON.stringify(api.body(model, promptOf(PROMPT_WORDS[round] ?? 1, round)));
  const answer = await send(client, api.path, { method: 'POST', body });
  const report = await reportAfter(client.reports, seenCount);
  return { answer, report, end: endOf(answer, report) };
}

function endOf(answer: StreamAnswer, report: Report | undefined): AttemptEnd {
  if (answer.end === 'left') return answer.status === undefined ? 'unanswered' : 'unended';
  if (report?.record.end.outcome !== 'ok') return 'failed';
  if (!report.record.answer.streamed) return 'whole';
  return report.figures.ttftNs === undefined ? 'tokenless' : 'streamed';
}

/** What became of an exchange that its status does not tell. */
function failureOf(report: Report | undefined): string | undefined {
  const outcome = report?.record.end.outcome;
  return outcome === 'error_http' || outcome === 'ok' ? undefined : outcome;
}

function send(
  { url, options }: TrialClient,
  path: string,
  { method, body }: { method: string; body?: string },
): Promise<StreamAnswer> {
  const { apiKey, answerMaxMs } = options;
  const credentials =
    apiKey === undefined
      ? {}
      : { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' };
  return sendRequest({
    url: `${url}${path}`,
    method,
    headers: credentials,
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(answerMaxMs),
  });
}

/** Reports follow the end of an answer, later where evidence is waited for. */
async function reportAfter(reports: TrialClient['reports'], seenCount: number): Promise<Report | undefined> {
  const untilNs = nowNs() + REPORT_MAX_MS * 1e6;
  while (reports().length === seenCount && nowNs() < untilNs) {
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
  return reports()[seenCount];
}

/** Different words each round, so that no prefix cache shortens the prefill that is looked at. */
function promptOf(wordCount: number, round: number): string {
  const words = ['river', 'stone', 'cloud', 'lamp', 'paper', 'bridge', 'garden', 'window', 'letter', 'winter'];
  const start = Math.floor(Math.random() * 1e6);
  const text = Array.from({ length: wordCount }, (_, index) => words[(index * (round + 3) + start) % words.length]);
  return `${start}: ${text.join(' ')}. Say what comes to mind.`;
}

export async function listModels(client: TrialClient): Promise<ModelList> {
  const seenCount = client.reports().length;
  const askedEpochMs = Date.now();
  const answer = await send(client, '/v1/models', { method: 'GET' });
  await reportAfter(client.reports, seenCount);
  const clockOffsetMs = offsetMs(answer, askedEpochMs);
  const listed = entriesOf(answer, 'data');
  if (listed !== undefined) {
    return { models: textsOf(listed, 'id'), ownedBy: textsOf(listed, 'owned_by')[0], clockOffsetMs };
  }
  const seenBefore = client.reports().length;
  const tags = entriesOf(await send(client, '/api/tags', { method: 'GET' }), 'models');
  await reportAfter(client.reports, seenBefore);
  return { models: tags && textsOf(tags, 'name'), ownedBy: undefined, clockOffsetMs };
}

function entriesOf(answer: StreamAnswer, field: string): readonly unknown[] | undefined {
  if (answer.status !== 200) return undefined;
  // What is no JSON is no list either.
  const list = parseJson(answerBytes(answer).toString());
  return asArray(asObject(list)?.[field]);
}

function textsOf(entries: readonly unknown[], field: string): string[] {
  return entries.map((entry) => asObject(entry)?.[field]).filter((text) => typeof text === 'string');
}

/** `Date` has whole seconds: the middle of its second against the middle of our wait. */
function offsetMs(answer: StreamAnswer, askedEpochMs: number): number | undefined {
  const date = Date.parse(fieldValue(answer.head?.rawHeaders ?? [], 'date') ?? '');
  if (Number.isNaN(date)) return undefined;
  return date + 500 - (askedEpochMs + Date.now()) / 2;
}
