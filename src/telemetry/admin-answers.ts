// What the admin port answers, from what the main thread knows. Where the data comes from is app/'s
// business; who may ask, and the hearts of the relays, are the port's own thread's.
import { inSlices } from '../base/in-slices.ts';
import { faultFields, type Log } from '../base/log.ts';
import type { Diagnosis } from '../judge/diagnosis/finding.ts';
import type { EngineState } from '../judge/engine-state.ts';
import type { FloorState } from '../judge/floor/live.ts';
import type { HopState } from '../judge/hop/state.ts';
import type { JobFigures, JobReport } from '../judge/job/judge-job.ts';
import type { OpenExchange, RecentExchange, Report } from '../judge/report.ts';
import type { AdminAnswer, AdminAsk } from './admin-messages.ts';
import { errorAnswer, jsonAnswer, textAnswer } from './admin-response.ts';
import { recentRow } from './admin-rows.ts';
import type { OpenDetail } from './live/open-detail.ts';
import type { Summary } from './summary.ts';

export interface AdminData {
  ready(): { readonly ok: boolean; readonly reasons: readonly string[] };
  openExchanges(): readonly OpenExchange[];
  /** Finished exchanges, the latest first. */
  recent(): readonly RecentExchange[];
  /** As much as there is by now of the record of an exchange that is open. */
  openDetail(id: string): OpenDetail | undefined;
  /** It has ended, and its record still waits for what others know of it. */
  isSettling(id: string): boolean;
  /** The report of a finished exchange that is still remembered. */
  record(id: string): Report | undefined;
  metricsText(accept: string | undefined): MetricsText;
  summary(): Summary;
  /** What the engines behind the routes say of themselves, as far as it is polled. */
  engines(): readonly EngineState[];
  /** Of routes whose model and accelerators are known: the decode step beside its floor. */
  floors(): readonly FloorState[];
  /** What ails the engine of each route, from its last ten minutes. */
  diagnoses(): readonly Diagnosis[];
  /** What is known of each hop that exchanges were seen on both sides of. */
  hops(): readonly HopState[];
  /** Batch jobs under way, and the latest that ended. */
  jobs(): { readonly open: readonly JobFigures[]; readonly recent: readonly JobReport[] };
  /** For a rubato before a hop that leads here: what was seen of these exchanges. Offsets and hashes, no text. */
  pairing(query: string): unknown;
}

export interface MetricsText {
  readonly contentType: string;
  /** One behind the other they are the text. */
  readonly pieces: Iterable<string>;
}

const SETTLING = {
  error: 'settling',
  message: 'This exchange has ended; its record waits a moment for what the engine says of it. Ask again soon.',
};

/** Never rejects: a fault of ours is an answer too, and its reason is in the log only. */
export async function answerOf(data: AdminData, log: Log, asked: AdminAsk): Promise<AdminAnswer> {
  try {
    return asked.path === '/metrics' ? await metricsOf(data, asked) : pageOf(data, asked);
  } catch (fault) {
    log.error('The admin port failed to answer', faultFields(fault));
    return errorAnswer(500, { error: 'internal', message: 'rubato failed to answer. The reason is in its log.' });
  }
}

/** The only answer that is long to make, some ms with thousands of series. */
async function metricsOf(data: AdminData, { accept }: AdminAsk): Promise<AdminAnswer> {
  const { pieces, contentType } = data.metricsText(accept);
  let body = '';
  await inSlices(pieces, (piece) => (body += piece));
  return textAnswer(200, { vary: 'accept', 'content-type': contentType }, body);
}

function pageOf(data: AdminData, { path, query }: AdminAsk): AdminAnswer {
  switch (path) {
    case '/readyz': {
      const ready = data.ready();
      return jsonAnswer(ready.ok ? 200 : 503, ready);
    }
    case '/api/streams':
      return jsonAnswer(200, { open: data.openExchanges(), recent: data.recent().map(recentRow) });
    case '/api/summary':
      return jsonAnswer(200, { ...data.summary(), engines: data.engines(), floor: data.floors(), hops: data.hops() });
    case '/api/diagnosis':
      return jsonAnswer(200, { diagnoses: data.diagnoses() });
    case '/api/hops':
      return jsonAnswer(200, { hops: data.hops() });
    case '/api/jobs':
      return jsonAnswer(200, data.jobs());
    case '/api/pairing':
      return jsonAnswer(200, data.pairing(query));
    default:
      return streamOf(data, path);
  }
}

function streamOf(data: AdminData, path: string): AdminAnswer {
  // Ids are made by us and hold nothing that would be escaped in a path.
  const id = /^\/api\/streams\/([\w.-]{1,64})$/.exec(path)?.[1];
  if (id === undefined) {
    return errorAnswer(404, { error: 'not_found', message: 'There is nothing here. The list of pages is at /.' });
  }
  const found = data.record(id) ?? data.openDetail(id);
  if (found !== undefined) return jsonAnswer(200, found);
  if (data.isSettling(id)) return errorAnswer(503, SETTLING, { 'retry-after': '1' });
  const message =
    'No exchange with this id is open, and none is remembered. Those that ended are remembered for a while.';
  return errorAnswer(404, { error: 'not_found', message });
}
