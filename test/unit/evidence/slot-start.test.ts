// Goal: llama.cpp's queue is told by whichever of head and timings is nearer, and a head that marks
// nothing invents no queue. Method: moments as captured from build 11434, both sides of each border.
import { describe, expect, it } from 'vitest';
import type { EvidenceSubject } from '../../../src/evidence/source.ts';
import { sourcesConflict } from '../../../src/evidence/agreement.ts';
import { gatherEvidence } from '../../../src/evidence/table.ts';
import { splitWindow, strongestClaim } from '../../../src/measure/engine-window.ts';
import type { EngineFacts } from '../../../src/record/engines.ts';
import type { Evidence } from '../../../src/record/stream-record.ts';
import { ms } from '../../support/record-builder.ts';

const NEW: EngineFacts = { name: 'llama.cpp', by: 'body', version: 'b11434' };
const OLD: EngineFacts = { name: 'llama.cpp', by: 'body', version: 'b6000' };
const UNTOLD: EngineFacts = { name: 'llama.cpp', by: 'head' };

interface Seen {
  readonly engine?: EngineFacts | undefined;
  readonly headMs?: number | undefined;
  readonly firstMs?: number;
  readonly promptMs?: number | undefined;
  /** From the first token sampled to the end of the answer, which comes at 2,000 ms. */
  readonly predictedMs?: number;
  readonly more?: Partial<EvidenceSubject>;
}

/** Sent at 10 ms, a wire of 2 ms. */
function evidenceOf({ engine = NEW, headMs, firstMs = 1_000, promptMs, predictedMs, more = {} }: Seen): Evidence[] {
  return gatherEvidence({
    engine,
    dialect: 'openai-chat',
    streamed: true,
    choiceCount: 1,
    statements: {
      ...(promptMs === undefined ? {} : { 'timings.prompt_ms': promptMs }),
      ...(predictedMs === undefined ? {} : { 'timings.predicted_ms': predictedMs }),
    },
    requestSentAtNs: ms(10),
    ...(headMs === undefined ? {} : { headReceivedAtNs: ms(headMs) }),
    firstEventAtNs: ms(firstMs),
    firstTokenAtNs: ms(firstMs),
    lastTokenAtNs: ms(1_990),
    upstreamEndAtNs: ms(2_000),
    wireFloorNs: ms(2),
    ...more,
  });
}

function queueMs(seen: Seen): number | undefined {
  const { queueNs } = strongestClaim(evidenceOf(seen));
  return queueNs === undefined ? undefined : queueNs / 1e6;
}

function sourcesOf(seen: Seen): string[] {
  return evidenceOf(seen).map(({ source }) => source);
}

describe('a head that marks the start of the slot', () => {
  it('tells the queue, timings the prefill', () => {
    expect(evidenceOf({ headMs: 400, promptMs: 600 })).toEqual([
      { source: 'llamacpp-timings', basis: 'exact', prefillNs: ms(600) },
      {
        source: 'head-arrival',
        basis: 'exact',
        queueNs: ms(388),
        definition: 'queue: request sent → response head received, without the wire; tokenising lies within',
      },
    ]);
  });

  it('tells it also when the stream is cut before its timings', () => {
    expect(queueMs({ headMs: 400 })).toBe(388);
    expect(queueMs({ headMs: 999 })).toBe(987);
    expect(sourcesOf({ headMs: 999.001 })).toEqual([]);
  });

  it('is up to 5 ms late: then the prefill tells when the slot began, and the parts fit', () => {
    const seen = { headMs: 405, promptMs: 600 };
    expect(queueMs(seen)).toBe(388);
    const window = splitWindow(ms(990), ms(2), strongestClaim(evidenceOf(seen)), ms(1_000));
    expect(window).toMatchObject({ otherNs: 0, rounded: false, contradicted: false });
    expect(sourcesConflict(evidenceOf(seen))).toBe(false);
  });

  it('is right where the first event came late: the end of the answer tells when the prefill ended', () => {
    const late = { headMs: 400, promptMs: 580, predictedMs: 1_019 };
    expect(queueMs(late)).toBe(388);
    expect(sourcesOf(late)).toEqual(['llamacpp-timings', 'head-arrival']);
    expect(evidenceOf(late)[0]?.queueNs).toBeUndefined();
  });

  it('is 0 when it came within the wire, and absent when it came well before the request was sent', () => {
    expect(queueMs({ headMs: 10, promptMs: 985 })).toBe(0);
    expect(sourcesOf({ headMs: 9 })).toEqual([]);
  });
});

describe('a head that marks nothing', () => {
  const REST = 'queue: time to the first event less wire and prefill, so tokenising and overhead lie within';

  it('came late: what wire and prefill leave is the queue, and that is no conflict', () => {
    const held = { headMs: 1_000, promptMs: 600 };
    expect(evidenceOf(held)).toEqual([
      {
        source: 'llamacpp-timings',
        basis: 'exact',
        queueNs: ms(388),
        prefillNs: ms(600),
        definition: `${REST}; the head came after the start of the prefill`,
      },
    ]);
    expect(sourcesOf({ headMs: 405.001, promptMs: 600 })).toEqual(['llamacpp-timings']);
  });

  it('came early: the prefill is believed, and the conflict is seen', () => {
    const early = { headMs: 394.999, promptMs: 600 };
    expect(evidenceOf(early)[0]).toMatchObject({ source: 'llamacpp-timings', queueNs: ms(388) });
    expect(evidenceOf(early)[0]?.definition).toContain('before the start of the prefill');
    expect(queueMs({ headMs: 20, promptMs: 600 })).toBe(388);
    expect(sourcesConflict(evidenceOf(early))).toBe(true);
    expect(queueMs({ headMs: 395, promptMs: 600 })).toBe(383);
  });

  it('is that of an older build', () => {
    expect(evidenceOf({ engine: OLD, headMs: 400, promptMs: 600 })).toEqual([
      { source: 'llamacpp-timings', basis: 'exact', queueNs: ms(388), prefillNs: ms(600), definition: REST },
    ]);
    expect(sourcesOf({ engine: OLD, headMs: 400 })).toEqual([]);
  });

  it('may be that of a build without a number, unless timings show that it marks', () => {
    expect(sourcesOf({ engine: UNTOLD, headMs: 400 })).toEqual([]);
    expect(sourcesOf({ engine: UNTOLD, headMs: 400, promptMs: 600 })).toEqual(['llamacpp-timings', 'head-arrival']);
    expect(sourcesOf({ engine: UNTOLD, headMs: 20, promptMs: 600 })).toEqual(['llamacpp-timings']);
    expect(queueMs({ engine: UNTOLD, headMs: 20, promptMs: 600 })).toBe(388);
  });

  it('is that of any other engine, whose timings are read all the same', () => {
    expect(sourcesOf({ engine: { name: 'vllm', by: 'body' }, headMs: 400 })).toEqual([]);
    expect(queueMs({ engine: undefined, headMs: 400, promptMs: 600 })).toBe(388);
  });
});

describe('what is left of the window', () => {
  it('is 0 down to 2 ms below, and no queue beyond that', () => {
    expect(queueMs({ engine: OLD, promptMs: 988 })).toBe(0);
    expect(queueMs({ engine: OLD, promptMs: 990 })).toBe(0);
    expect(queueMs({ engine: OLD, promptMs: 990.001 })).toBeUndefined();
    expect(sourcesOf({ engine: OLD, promptMs: 990.001 })).toEqual(['llamacpp-timings']);
  });

  it('is counted to the first token where progress was told before', () => {
    const more = { firstEventAtNs: ms(401), statements: { 'timings.prompt_ms': 600, 'prompt_progress.processed': 8 } };
    expect(queueMs({ headMs: 400, more })).toBe(388);
  });

  it('holds the wire where no handshake was seen', () => {
    const more = { wireFloorNs: undefined as never };
    expect(queueMs({ engine: OLD, promptMs: 600, more })).toBe(390);
    expect(queueMs({ headMs: 400, promptMs: 600, more })).toBe(390);
  });

  it('is not known without moments, or of an answer in one piece', () => {
    const prefillOnly = [{ source: 'llamacpp-timings', basis: 'exact', prefillNs: ms(600) }];
    for (const more of [
      { requestSentAtNs: undefined as never },
      { firstEventAtNs: undefined as never, firstTokenAtNs: undefined as never },
      { streamed: false },
    ]) {
      expect(evidenceOf({ headMs: 400, promptMs: 600, more })).toEqual(prefillOnly);
    }
    const noEvent = { firstEventAtNs: undefined as never };
    expect(queueMs({ headMs: 400, promptMs: 600, more: noEvent })).toBe(388);
    const noEnd = { upstreamEndAtNs: undefined as never };
    expect(queueMs({ headMs: 400, promptMs: 600, predictedMs: 1_100, more: noEnd })).toBe(388);
  });
});
