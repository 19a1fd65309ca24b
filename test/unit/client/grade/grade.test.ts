// Goal: a report card says what a gateway did and nothing that it did not. Method: runs made by hand, with exact
// moments, both ways; findings and pages from cards.
import { describe, expect, test } from 'vitest';
import { GRADE_CASES, START_CASE, type GradeCase } from '../../../../src/client/grade/cases.ts';
import { cardOf } from '../../../../src/client/grade/compare.ts';
import type { Run } from '../../../../src/client/grade/drive.ts';
import { figuresOf } from '../../../../src/client/grade/figures.ts';
import { findingsOf } from '../../../../src/client/grade/findings.ts';
import { readBack } from '../../../../src/client/grade/marks.ts';
import { gradeHtml } from '../../../../src/client/grade/report-html.ts';
import { gradeMarkdown } from '../../../../src/client/grade/report-markdown.ts';
import { startCardOf, type StartCard } from '../../../../src/client/grade/start.ts';
import { scriptFaults } from '../../../../src/client/reference-engine/script.ts';

const MS = 1e6;
const STREAM = { status: 200, mediaType: 'text/event-stream' };
const QUIET: StartCard = { runCount: 5, ttftAddedNs: 0, askAddedNs: 0, firstHoldAddedNs: 0, laterHoldAddedNs: 0 };
const steady = caseOf('steady-20');

function caseOf(name: string): GradeCase {
  return GRADE_CASES.find((each) => each.name === name)!;
}

function token(text: string): string {
  return `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;
}

/** `[ms, body]` of writes and reads. */
interface Made {
  readonly writes?: readonly (readonly [number, string])[];
  readonly reads?: readonly (readonly [number, string])[];
  readonly more?: Partial<Run>;
}

const WRITES = [0, 1, 2, 3, 4].map((index) => [100 + 20 * index, token(`t${index}`)] as const);

function run({ writes = WRITES, reads = writes, more = {} }: Made = {}): Run {
  const pieces = (list: readonly (readonly [number, string])[]) =>
    list.map(([ms, text]) => ({ atNs: ms * MS, bytes: Buffer.from(text) }));
  return {
    sentAtNs: 0,
    askedAtNs: 1 * MS,
    attemptCount: 1,
    engineHeadAtNs: 2 * MS,
    headAtNs: 3 * MS,
    engine: readBack(pieces(writes), STREAM, 'text'),
    client: readBack(pieces(reads), STREAM, 'text'),
    status: 200,
    fields: ['content-type', 'text/event-stream'],
    body: reads.map(([, text]) => text).join(''),
    end: 'complete',
    ...more,
  };
}

test('every case is a script that can be played, and they have names of their own', () => {
  const cases = [START_CASE, ...GRADE_CASES];
  expect(cases.flatMap(({ name, script }) => scriptFaults(name, script))).toEqual([]);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

describe('figures of a run', () => {
  test('say when each text was out, by its place and not by its event', () => {
    const reads = [
      [130, `${token('t0')}${token('t1')}`],
      [190, `${token('t2t3')}${token('t4')}`],
    ] as const;
    expect(figuresOf(run({ reads }))).toEqual({
      askNs: 1 * MS,
      headNs: 1 * MS,
      ttftNs: 130 * MS,
      firstHoldNs: 30 * MS,
      holdP50Ns: 30 * MS,
      holdP95Ns: 50 * MS,
      holdMaxNs: 50 * MS,
      jitterP95Ns: 40 * MS,
      coalescedRatio: 0.6,
      heldBytes: 3 * token('t0').length,
    });
  });

  test('have no hold of text that never came', () => {
    const figures = figuresOf(run({ reads: [] }));
    expect(figures.ttftNs).toBeUndefined();
    expect(figures.holdP50Ns).toBeUndefined();
    expect(figures.coalescedRatio).toBeUndefined();
  });

  test('say how long the engine was not told of a client that had left', () => {
    expect(figuresOf(run({ more: { leftAtNs: 400 * MS, goneAtNs: 430 * MS } })).abortNs).toBe(30 * MS);
  });
});

describe('a card', () => {
  test('of a gateway that passes has no change', () => {
    const card = cardOf(steady, run(), run());
    expect(card.changes).toEqual([]);
    expect(card.headChanges).toEqual([]);
  });

  test.each([
    ['text_changed', { reads: [[100, token('other')]] }],
    ['events_changed', { reads: [[180, token('t0t1t2t3t4')]] }],
    ['comments_added', { reads: [...WRITES, [200, ': ping\n\n']] }],
    ['body_rewritten', { reads: WRITES.map(([ms, text]) => [ms, text.replace('data: ', 'data:')] as const) }],
    ['status_changed', { more: { status: 206 } }],
    ['cut_added', { more: { end: 'cut' } }],
    ['never_ended', { more: { end: 'left' } }],
    ['retried', { more: { attemptCount: 2 } }],
    ['coding_added', { more: { fields: ['Content-Encoding', 'gzip'] } }],
  ] as const)('says %s', (change, made) => {
    expect(cardOf(steady, run(), run(made)).changes).toContain(change);
  });

  test.each([
    ['terminal_lost', [...WRITES, [200, 'data: [DONE]\n\n']], WRITES],
    ['error_lost', [...WRITES, [200, 'data: {"error":{"message":"m","type":"server_error"}}\n\n']], WRITES],
    ['comments_lost', [[50, ': keep-alive\n\n'], ...WRITES], WRITES],
    ['line_ends_changed', WRITES.map(([ms, text]) => [ms, text.replaceAll('\n', '\r\n')]), WRITES],
  ] as const)('says %s', (change, before, after) => {
    const writes = before as readonly (readonly [number, string])[];
    expect(cardOf(steady, run({ writes }), run({ writes, reads: after })).changes).toContain(change);
  });

  test('says cut_hidden when a broken answer came out whole', () => {
    expect(cardOf(steady, run({ more: { end: 'cut' } }), run()).changes).toContain('cut_hidden');
  });

  test('says no_answer, and nothing else, when the engine was not asked', () => {
    expect(cardOf(steady, run(), run({ more: { attemptCount: 0 } })).changes).toEqual(['no_answer']);
  });

  test('of a client that left says only whether the engine was told', () => {
    const left = { leftAtNs: 400 * MS, end: 'left' as const };
    const [told, untold] = [run({ more: { ...left, goneAtNs: 401 * MS } }), run({ more: left, reads: [] })];
    expect(cardOf(caseOf('abort-mid-stream'), told, untold).changes).toEqual(['abort_not_passed']);
    expect(cardOf(caseOf('abort-mid-stream'), told, told).changes).toEqual([]);
  });

  test('names fields of the head that were lost, added and altered, but not those of the moment', () => {
    const direct = run({ more: { fields: ['Server', 'a', 'Date', 'x', 'X-Accel-Buffering', 'no'] } });
    const through = run({ more: { fields: ['server', 'b', 'date', 'y', 'via', '1.1 z'] } });
    expect(cardOf(steady, direct, through).headChanges).toEqual(['-x-accel-buffering', '+via', '~server']);
  });
});

describe('findings', () => {
  test('are none for a gateway that passes, however late a single text is', () => {
    const reads = WRITES.map(([ms, text], index) => [index === 4 ? ms + 15 : ms, text] as const);
    expect(findingsOf(QUIET, [cardOf(steady, run(), run({ reads }))])).toEqual([]);
  });

  test('name a delay of the first text that later text has not', () => {
    const start = { ...QUIET, ttftAddedNs: 27 * MS, firstHoldAddedNs: 26 * MS, laterHoldAddedNs: 1 * MS };
    expect(findingsOf(start, [])).toEqual([
      { weight: 'bad', says: 'holds the first text of a stream 26.0 ms, later text 1.0 ms', cases: ['start'] },
    ]);
  });

  test('name a hold by its case, and put what is bad first', () => {
    const reads = [[190, WRITES.map(([, text]) => text).join('')]] as const;
    const card = cardOf(steady, run(), run({ reads, more: { attemptCount: 2 } }));
    const findings = findingsOf({ ...QUIET, askAddedNs: 6 * MS }, [card]);
    expect(findings.map(({ weight }) => weight)).toEqual(['bad', 'note', 'note']);
    expect(findings[0]!.says).toBe(
      `holds text: in “${steady.title}” 50.0 ms at the median, 90.0 at p95, 90.0 at most, ` +
        `up to ${5 * token('t0').length} bytes; 80 % of writes came out with another one`,
    );
  });

  test('name a head that waits for the body, and an abort that comes late', () => {
    const late = { headAtNs: 800 * MS, leftAtNs: 900 * MS, goneAtNs: 1_400 * MS };
    const soon = { leftAtNs: 900 * MS, goneAtNs: 905 * MS };
    const cards = ['early-head', 'abort-mid-stream'].map((name) =>
      cardOf(caseOf(name), run({ more: soon }), run({ more: late })),
    );
    expect(findingsOf(QUIET, cards).map(({ says }) => says)).toEqual([
      'holds the head 797.0 ms, as long as there is no body',
      'tells the engine only 495.0 ms later that the client has left',
    ]);
  });
});

test('the start of a stream is told by medians, through less direct', () => {
  const figures = (ttftMs: number) => ({ ...figuresOf(run()), ttftNs: ttftMs * MS });
  const start = startCardOf([10, 11, 90].map(figures), [35, 36, 37].map(figures));
  expect(start).toEqual({ ...QUIET, runCount: 3, ttftAddedNs: 25 * MS });
});

describe('pages', () => {
  const card = cardOf({ ...steady, title: 'a <b> & "c"' }, run(), run({ reads: [], more: { body: '' } }));
  const grading = {
    gateway: 'nginx/default',
    version: '1.22.1',
    start: QUIET,
    cases: [card],
    findings: findingsOf(QUIET, [card]),
  };

  test('in Markdown have a row for each case and a dash for what is unknown', () => {
    const page = gradeMarkdown(grading);
    expect(page).toContain('# Report card of nginx/default 1.22.1\n');
    expect(page).toContain('| a <b> & "c" | – | – / – / – |');
    expect(page).toContain('- **bad**: the text that came out is not the text that went in (steady-20)');
  });

  test('in HTML need nothing else, and hold no text that could become markup', () => {
    const page = gradeHtml(grading);
    expect(page).not.toMatch(/<(?:script|link|img)|https?:/);
    expect(page).toContain('a &lt;b&gt; &amp; &quot;c&quot;');
    expect(page.match(/<polyline/g)).toHaveLength(3);
  });
});
