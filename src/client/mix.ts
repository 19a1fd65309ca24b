// A small mixed load, open loop: exchanges begin at moments drawn beforehand, whether or not earlier
// ones have ended, because waiting for them would hide the very slowness one wants to see.
// What is sent is settled by the seed; when each thing really happened is for others to measure.
import { Agent } from 'node:http';
import { nowNs } from '../base/clock.ts';
import { CLIENT_OPEN_MAX_COUNT } from '../base/limits.ts';
import { atMoment } from './at-moment.ts';
import { integerBetween, mix32, seededRandom } from './random.ts';
import { sendRequest, type AnswerEnd } from './stream-client.ts';

const NS_PER_MS = 1e6;

/** How one class of the mix looks; bounds are inclusive. */
export interface MixClass {
  readonly name: string;
  readonly perSecond: number;
  readonly promptTokens: { readonly lowest: number; readonly highest: number };
  readonly outputTokens: { readonly lowest: number; readonly highest: number };
  /** Share of exchanges that are left in the middle of the stream. */
  readonly abortRatio: number;
}

/** People who wait for short answers, and jobs that nobody watches. */
export const DEMO_CLASSES: readonly MixClass[] = [
  {
    name: 'interactive',
    perSecond: 7.5,
    promptTokens: { lowest: 20, highest: 300 },
    outputTokens: { lowest: 12, highest: 60 },
    abortRatio: 0.04,
  },
  {
    name: 'batch',
    perSecond: 0.8,
    promptTokens: { lowest: 1_500, highest: 5_000 },
    outputTokens: { lowest: 120, highest: 240 },
    abortRatio: 0,
  },
];

/** One exchange of the mix, settled before it is sent. */
export interface PlannedExchange {
  readonly atMs: number;
  readonly class: string;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Leaves after so many reads; absent: stays to the end. */
  readonly leaveAfterReads?: number;
  /** Makes the prompt differ from every other one. */
  readonly seed: number;
}

/** The exchanges of one class in order of time, without end: gaps are exponential (Poisson arrivals). */
function* planClass(mixClass: MixClass, seed: number): Generator<PlannedExchange, never> {
  const random = seededRandom(seed);
  let atMs = 0;
  for (let ordinal = 0; ; ordinal += 1) {
    atMs += (-Math.log(1 - random()) * 1000) / mixClass.perSecond;
    const { lowest, highest } = mixClass.promptTokens;
    const promptTokens = integerBetween(random, lowest, highest);
    const outputTokens = integerBetween(random, mixClass.outputTokens.lowest, mixClass.outputTokens.highest);
    const leaves = random() < mixClass.abortRatio;
    const leaveAfterReads = integerBetween(random, 1, Math.max(1, Math.floor(outputTokens / 2)));
    const planned = { atMs, class: mixClass.name, promptTokens, outputTokens, seed: mix32(seed, ordinal) };
    yield leaves ? { ...planned, leaveAfterReads } : planned;
  }
}

/** The exchanges of all classes in order of time, as far as `untilMs`. */
export function* planMix(
  classes: readonly MixClass[],
  seed: number,
  untilMs: number,
): Generator<PlannedExchange, void> {
  const rows = classes.map((mixClass, index) => planClass(mixClass, mix32(seed, index)));
  const heads = rows.map((row) => row.next().value);
  while (true) {
    const first = heads.reduce((best, head, index) => (head.atMs < (heads[best]?.atMs ?? Infinity) ? index : best), 0);
    const planned = heads[first];
    const row = rows[first];
    if (planned === undefined || row === undefined || planned.atMs >= untilMs) return;
    heads[first] = row.next().value;
    yield planned;
  }
}

export interface MixProgress {
  readonly elapsedMs: number;
  readonly sentCount: number;
  readonly openCount: number;
  /** Ended exchanges by how they ended for us. */
  readonly endCounts: Readonly<Record<AnswerEnd, number>>;
  /** Not sent because too many were open. */
  readonly leftOutCount: number;
  readonly receivedBytes: number;
}

export interface MixOptions {
  /** Where to send: base URL of an OpenAI-compatible endpoint. */
  readonly url: string;
  readonly model: string;
  readonly classes: readonly MixClass[];
  readonly seed: number;
  /** No exchange begins later; `Infinity`: goes on until the signal. */
  readonly durationMs: number;
  /** Exchanges still open so long after the last one began are dropped. */
  readonly drainMs: number;
  /** Ends the sending; what is open is dropped at once. */
  readonly signal?: AbortSignal;
  /** Header that carries the class; default `x-traffic-class`. */
  readonly classHeader?: string;
}

export interface MixRun {
  /** How things stand now. */
  progress(): MixProgress;
  /** Everything that was sent has ended. */
  readonly done: Promise<MixProgress>;
}

/** Starts the load; it goes on by itself. */
export function startMix(options: MixOptions): MixRun {
  // Warm connections as an application keeps them; as many as are needed at once.
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 256, scheduling: 'lifo' });
  const stop = new AbortController();
  const startedAtNs = nowNs();
  const endCounts: Record<AnswerEnd, number> = { complete: 0, left: 0, cut: 0, failed: 0, too_large: 0 };
  const counts = { sentCount: 0, openCount: 0, leftOutCount: 0, receivedBytes: 0 };
  const progress = (): MixProgress => ({
    ...counts,
    endCounts: { ...endCounts },
    elapsedMs: (nowNs() - startedAtNs) / NS_PER_MS,
  });
  const sendOne = async (planned: PlannedExchange): Promise<void> => {
    if (counts.openCount >= CLIENT_OPEN_MAX_COUNT) {
      counts.leftOutCount += 1;
      return;
    }
    counts.sentCount += 1;
    counts.openCount += 1;
    const answer = await sendRequest({
      url: `${options.url}/v1/chat/completions`,
      headers: { [options.classHeader ?? 'x-traffic-class']: planned.class },
      body: chatBody(planned, options.model),
      agent,
      signal: stop.signal,
      onRead: (read, readCount) => {
        counts.receivedBytes += read.bytes.byteLength;
        return readCount === planned.leaveAfterReads ? 'leave' : undefined;
      },
    });
    counts.openCount -= 1;
    endCounts[answer.end] += 1;
  };
  const done = sendAll(options, startedAtNs, stop, sendOne).then(() => {
    agent.destroy();
    return progress();
  });
  return { progress, done };
}

/** Sends each planned exchange at its moment, then waits for the open ones, but not for ever. */
async function sendAll(
  options: MixOptions,
  startedAtNs: number,
  stop: AbortController,
  sendOne: (planned: PlannedExchange) => Promise<void>,
): Promise<void> {
  const { signal } = options;
  const open = new Set<Promise<void>>();
  const onStop = (): void => stop.abort();
  if (signal?.aborted === true) onStop();
  signal?.addEventListener('abort', onStop, { once: true });
  for (const planned of planMix(options.classes, options.seed, options.durationMs)) {
    await reached(startedAtNs + Math.round(planned.atMs * NS_PER_MS), stop.signal);
    if (stop.signal.aborted) break;
    const one: Promise<void> = sendOne(planned).finally(() => open.delete(one));
    open.add(one);
  }
  const drained = new AbortController();
  const drainEnd = reached(nowNs() + Math.round(options.drainMs * NS_PER_MS), drained.signal);
  await Promise.race([Promise.all(open), drainEnd]);
  drained.abort();
  stop.abort();
  signal?.removeEventListener('abort', onStop);
  await Promise.all(open);
}

/** Resolves at the moment, or as soon as the signal says so. */
function reached(atNs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = (): void => {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = atMoment(atNs, finish);
    signal.addEventListener('abort', finish, { once: true });
  });
}

/** A chat request of about the planned size: four characters count as one token everywhere here. */
function chatBody(planned: PlannedExchange, model: string): string {
  const opening = `[${planned.seed}] Tell me about stolen time. `;
  const content = opening.padEnd(planned.promptTokens * 4, 'and go on in the same measured voice ');
  return JSON.stringify({
    model,
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: planned.outputTokens,
    messages: [{ role: 'user', content }],
  });
}
