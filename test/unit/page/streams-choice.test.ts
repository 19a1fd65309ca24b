// Goal: the list of streams shows what was asked for, in an order that does not move for nothing. Method: rows made of
// a model are filtered and sorted, and their ids compared.
import { describe, expect, test } from 'vitest';
import { startModel, tellingStall } from '../../../src/telemetry/live/model.ts';
import { choicesOf, chooseRows, sortRows, type SortKey } from '../../../src/page/views/streams-choice.ts';
import { streamRows, type StreamRow } from '../../../src/page/views/streams-row.ts';
import { liveBeat, liveEnded, liveHello, liveOpen, NOW_EPOCH_MS } from '../../support/live-events.ts';

const stall = (cause?: 'host' | 'unknown') => ({
  endedAtEpochMs: NOW_EPOCH_MS,
  gapMs: 200,
  ...(cause !== undefined && { cause }),
});

const ROWS: StreamRow[] = streamRows(
  startModel(
    liveHello(
      'p1',
      liveBeat(1, {
        open: [
          liveOpen('b', { openedAtEpochMs: NOW_EPOCH_MS + 1, ageMs: 900, silentMs: 5, gapMaxMs: 30 }),
          liveOpen('a', { ageMs: 1_000, chunkCount: 9, phase: 'silent', silentMs: 400 }),
          liveOpen('c', {
            openedAtEpochMs: NOW_EPOCH_MS + 2,
            ageMs: 800,
            class: 'batch',
            phase: 'token',
            stalls: [stall()],
          }),
        ],
        ended: [
          liveEnded('d', { durationNs: 1e9, ttftNs: 5e6, delivery: 'holds timer' }),
          liveEnded('e', {
            durationNs: 3e9,
            ttftNs: 9e6,
            model: 'n',
            outcome: 'error_http',
            stallCount: 2,
            stalls: [stall('host')],
          }),
        ],
      }),
    ),
  ),
);

const ids = (rows: readonly StreamRow[]): string => rows.map(({ id }) => id).join('');
const sorted = (key: SortKey, isUpward = false): string => ids(sortRows(ROWS, key, isUpward));

describe('the order', () => {
  test('has those that are longest in flight first and those that ended last behind them', () => {
    expect(sorted('flight')).toBe('abced');
    expect(sorted('flight', true)).toBe('decba');
  });

  test('has the largest figure first, and unknown ones last in both directions', () => {
    expect(sorted('silence')).toBe('abced');
    expect(sorted('silence', true)).toBe('baced');
    expect(sorted('ttft')).toBe('edabc');
    expect(sorted('ttft', true)).toBe('deabc');
    expect(sorted('age')).toBe('eadbc');
    expect(sorted('gap')[0]).toBe('b');
    expect(sorted('chunks')[0]).toBe('a');
    expect(sorted('stalls')[0]).toBe('e');
  });

  test('is the same whatever order equals come in', () => {
    expect(ids(sortRows(ROWS.toReversed(), 'chunks', false))).toBe(sorted('chunks'));
  });
});

describe('the filters', () => {
  test('let all pass where nothing is chosen', () => {
    expect(chooseRows(ROWS, {})).toEqual(ROWS);
  });

  test('take a class, a model, a phase, an outcome, all open and all ended ones', () => {
    expect(ids(chooseRows(ROWS, { className: 'batch' }))).toBe('c');
    expect(ids(chooseRows(ROWS, { model: 'n' }))).toBe('e');
    expect(ids(chooseRows(ROWS, { word: 'silent' }))).toBe('a');
    expect(ids(chooseRows(ROWS, { word: 'ok' }))).toBe('d');
    expect(ids(chooseRows(ROWS, { word: 'open' }))).toBe('bac');
    expect(ids(chooseRows(ROWS, { word: 'ended' }))).toBe('ed');
    expect(ids(chooseRows(ROWS, { word: 'ended', className: 'batch' }))).toBe('');
  });

  test('take what is said of delivery and of causes, also of one that is not told yet', () => {
    expect(ids(chooseRows(ROWS, { verdict: 'delivery:holds timer' }))).toBe('d');
    expect(ids(chooseRows(ROWS, { verdict: 'stall:host' }))).toBe('e');
    expect(ids(chooseRows(ROWS, { verdict: 'stall:unknown' }))).toBe('c');
  });

  test('offer what there is, and what was chosen while there was such a thing', () => {
    expect(choicesOf(ROWS, {})).toEqual({
      models: ['m', 'n'],
      phases: ['silent', 'stream', 'token'],
      outcomes: ['error_http', 'ok'],
      verdicts: ['delivery:holds timer', 'stall:host', 'stall:unknown'],
    });
    expect(choicesOf([], { word: 'head', model: 'x' })).toMatchObject({
      models: ['x'],
      phases: ['head'],
      outcomes: [],
    });
    expect(choicesOf([], { word: 'ok' })).toMatchObject({ phases: [], outcomes: ['ok'] });
    expect(choicesOf([], { word: 'open' })).toMatchObject({ phases: [], outcomes: [] });
  });
});

describe('a row', () => {
  test('tells lengths in ms, and what is not known not at all', () => {
    const [, open] = ROWS;
    expect(open).toMatchObject({ word: 'silent', tone: 'bad', ageMs: 1_000, silentMs: 400 });
    expect(open?.ttftMs).toBeUndefined();
    const ended = ROWS.find(({ id }) => id === 'd');
    expect(ended).toMatchObject({ word: 'ok', ageMs: 1_000, ttftMs: 5, untilEpochMs: NOW_EPOCH_MS + 1_000 });
    expect(ended?.silentMs).toBeUndefined();
  });

  test('tells the latest stall whose cause is known before a later one without', () => {
    expect(tellingStall({ stalls: [stall('host'), stall('unknown'), stall()] })?.cause).toBe('host');
    expect(tellingStall({ stalls: [stall('unknown'), stall()] })?.cause).toBeUndefined();
    expect(tellingStall({ stalls: [] })).toBeUndefined();
  });
});
