// One request of the grader through one way, seen at both ends by one clock.
import { setTimeout as sleep } from 'node:timers/promises';
import { nowNs } from '../../base/clock.ts';
import { fieldValue } from '../../base/fields.ts';
import { defined } from '../../measure/defined.ts';
import { decodeWhole } from '../../stream/decode-whole.ts';
import { parseMediaType } from '../../stream/media-type.ts';
import type { ReferenceEngine } from '../reference-engine/start.ts';
import type { RequestTruth } from '../reference-engine/truth.ts';
import { answerBytes, sendRequest, type AnswerEnd, type StreamAnswer } from '../stream-client.ts';
import { GRADE_MODEL, type GradeCase } from './cases.ts';
import { readBack, type ReadBack } from './marks.ts';

const NS_PER_MS = 1e6;
/** A client that left should long have been noticed. */
const GONE_WAIT_MS = 3_000;
/** No case takes a third of it; a gateway that swallows an end would let a client wait for ever. */
const ANSWER_WAIT_MS = 12_000;
const GONE_LOOK_MS = 5;

/** The engine of a grading, whose every answer is the case at hand. */
export interface GradeEngine {
  readonly engine: ReferenceEngine;
  play(name: string): void;
}

export interface Way {
  readonly url: string;
  readonly path: string;
  readonly model?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Run {
  readonly sentAtNs: number;
  /** The request's head reached the engine; absent when it never did. */
  readonly askedAtNs?: number;
  readonly attemptCount: number;
  readonly engineHeadAtNs?: number;
  readonly engine: ReadBack;
  readonly client: ReadBack;
  readonly headAtNs?: number;
  readonly status?: number;
  /** Names and values in turn. */
  readonly fields: readonly string[];
  /** Without its content coding; absent when that could not be taken off. */
  readonly body?: string;
  readonly end: AnswerEnd;
  readonly error?: string;
  /** Only where the client left: when, and when the engine noticed (absent: it did not). */
  readonly leftAtNs?: number;
  readonly goneAtNs?: number;
}

export async function drive({ engine, play }: GradeEngine, way: Way, gradeCase: GradeCase): Promise<Run> {
  play(gradeCase.name);
  const leave = new AbortController();
  let leftAtNs: number | undefined;
  const timer =
    gradeCase.leaveAfterMs === undefined
      ? undefined
      : setTimeout(() => {
          leftAtNs = nowNs();
          leave.abort();
        }, gradeCase.leaveAfterMs);
  const answer = await sendRequest({
    url: new URL(way.path, way.url).href,
    headers: way.headers,
    body: bodyOf(way),
    signal: AbortSignal.any([leave.signal, AbortSignal.timeout(ANSWER_WAIT_MS)]),
  });
  clearTimeout(timer);
  const truths = (): RequestTruth[] => engine.truths().filter(({ arrivedAtNs }) => arrivedAtNs >= answer.sentAtNs);
  const goneAtNs = leftAtNs === undefined ? undefined : await untilGone(truths);
  return runOf(answer, truths(), gradeCase, defined({ leftAtNs, goneAtNs }));
}

function bodyOf({ model }: Way): string {
  return JSON.stringify({
    model: model ?? GRADE_MODEL,
    stream: true,
    messages: [{ role: 'user', content: 'Say something about time.' }],
  });
}

async function untilGone(truths: () => readonly RequestTruth[]): Promise<number | undefined> {
  const untilNs = nowNs() + GONE_WAIT_MS * NS_PER_MS;
  for (;;) {
    const last = truths().at(-1);
    if (last?.end !== undefined) return last.end === 'aborted' ? last.endAtNs : undefined;
    if (nowNs() > untilNs) return undefined;
    await sleep(GONE_LOOK_MS);
  }
}

function runOf(
  answer: StreamAnswer,
  truths: readonly RequestTruth[],
  gradeCase: GradeCase,
  gone: { readonly leftAtNs?: number; readonly goneAtNs?: number },
): Run {
  // Of a request that was sent again, the last one is what the client got.
  const truth = truths.at(-1);
  const fields = answer.head?.rawHeaders ?? [];
  const encoding = fieldValue(fields, 'content-encoding');
  const mediaType = parseMediaType(fieldValue(fields, 'content-type'));
  const head = { status: answer.status ?? 0, fields, ...defined({ encoding, mediaType }) };
  const whole = decodeWhole(answerBytes(answer), encoding);
  return {
    sentAtNs: answer.sentAtNs,
    attemptCount: truths.length,
    engine: readBack(writesOf(truth, gradeCase), { status: 200, mediaType: 'text/event-stream' }, gradeCase.channel),
    client: readBack(answer.reads, head, gradeCase.channel),
    fields,
    end: answer.end,
    ...gone,
    ...defined({
      askedAtNs: truth?.arrivedAtNs,
      engineHeadAtNs: truth?.headAtNs,
      headAtNs: answer.head?.atNs,
      status: answer.status,
      body: whole === undefined ? undefined : Buffer.from(whole.bytes).toString('utf8'),
      error: answer.error,
    }),
  };
}

function writesOf(truth: RequestTruth | undefined, { script }: GradeCase): { atNs: number; bytes: Uint8Array }[] {
  const moments = truth?.writes.writtenAtNs ?? [];
  return moments.map((atNs, index) => ({ atNs, bytes: Buffer.from(script.writes[index]?.bytes ?? '') }));
}
