// Tries a few short streams through a sidecar of its own, in this process and on free ports: what the
// doctor says of the engine is what rubato itself sees in traffic, by the same code.
import type { Config } from '../../config/config.ts';
import type { Report } from '../../judge/report.ts';
import { startServe } from '../serve.ts';
import { type Api, apisFor } from './apis.ts';
import { listenFault } from './listen-fault.ts';
import {
  type Attempt,
  firstThatStreams,
  listModels,
  type ModelList,
  PROMPT_WORDS,
  stream,
  type TrialClient,
  type TrialOptions,
} from './trial-client.ts';

export interface Trial extends ModelList {
  readonly attempts: readonly Attempt[];
  /** Longest wait for one answer, as it was asked for. */
  readonly answerMaxMs: number;
  /** Reports of the streams that went well, with ever longer prompts. Empty when none did. */
  readonly reports: readonly Report[];
}

/** Runs the trial; a stream that fails is a finding, not an error. */
export async function runTrial(config: Config, options: TrialOptions): Promise<Trial> {
  const reports: Report[] = [];
  const running = await startServe(await trialConfig(config), {
    env: {},
    sinks: [{ name: 'doctor', onReport: (report) => void reports.push(report) }],
  });
  const client: TrialClient = {
    url: `http://${running.listen}`,
    options,
    reports: () => reports,
    apis: apisFor(config.routes),
  };
  try {
    options.onStep('asking which models there are');
    const list = await listModels(client);
    const model = options.model ?? list.models?.[0] ?? 'default';
    const attempts: Attempt[] = [];
    const streamed = await firstThatStreams(client, model, attempts);
    const good = streamed === undefined ? [] : [streamed.report, ...(await more(client, streamed.api, model))];
    return { attempts, answerMaxMs: options.answerMaxMs, ...list, reports: good };
  } finally {
    await running.close('done');
  }
}

/**
 * The user's configuration with nothing that others would notice: no fixed ports, no files, no log. Only
 * the engine's spans come to where they were told to, unless somebody listens there already.
 */
async function trialConfig(config: Config): Promise<Config> {
  const anyPort = { host: '127.0.0.1', port: 0 };
  const { otlpListen } = config;
  const isFree = otlpListen !== undefined && (await listenFault(otlpListen)) === undefined;
  return {
    ...config,
    listen: anyPort,
    // The doctor speaks to it without TLS, and what is at a hop has a trial of its own.
    listenTls: undefined,
    edges: [],
    admin: anyPort,
    otlpListen: isFree ? otlpListen : undefined,
    record: undefined,
    logLevel: 'silent',
    propagate: 'on',
  };
}

async function more(client: TrialClient, api: Api, model: string): Promise<Report[]> {
  const good: Report[] = [];
  for (let round = 1; round < PROMPT_WORDS.length; round += 1) {
    client.options.onStep(`trying a longer prompt (${round} of ${PROMPT_WORDS.length - 1})`);
    const { report, end } = await stream(client, api, model, round);
    if (report !== undefined && end === 'streamed') good.push(report);
  }
  return good;
}
