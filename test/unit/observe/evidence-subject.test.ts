// Goal: sources of evidence see the moments of a record as they are meant. Method: a stream that was kept
// alive before it began, one with a loss, and an answer in one piece.
import { describe, expect, it } from 'vitest';
import { subjectOf } from '../../../src/observe/evidence-subject.ts';
import { CHUNK_AFTER_LOSS } from '../../../src/record/kinds.ts';
import { buildRecord, ms, read } from '../../support/record-builder.ts';

describe('the subject of evidence', () => {
  it('begins with the first event that says something, not with what keeps the connection alive', () => {
    const reads = [
      read(50, 'comment'),
      read(60, 'ping'),
      read(100, 'role'),
      read(120, 'text'),
      read(130, 'finish done'),
    ];
    expect(subjectOf(buildRecord({ reads }))).toMatchObject({
      streamed: true,
      choiceCount: 1,
      requestSentAtNs: 0,
      headReceivedAtNs: ms(50),
      firstEventAtNs: ms(100),
      firstTokenAtNs: ms(120),
      lastTokenAtNs: ms(120),
      upstreamEndAtNs: ms(130),
      statements: {},
    });
  });

  it('has no first event where an earlier one may have been lost, or none came', () => {
    const lost = [read(50, 'comment'), read(100, 'text', { flags: CHUNK_AFTER_LOSS })];
    expect(subjectOf(buildRecord({ reads: lost })).firstEventAtNs).toBeUndefined();
    expect(subjectOf(buildRecord({ reads: [read(50, 'comment')] })).firstEventAtNs).toBeUndefined();
  });

  it.each<[string, number[], true | undefined]>([
    ['never', [], undefined],
    ['before the first token', [10, 90], undefined],
    ['between the tokens', [120, 130], true],
    ['from before the first token on', [50, 110], true],
    ['without end', [150], true],
    ['after the last token', [200, 300], undefined],
  ])('is held up by a client that was slow between first and last token: blocked %s', (_, blockedMs, heldUp) => {
    const reads = [read(100, 'text'), read(200, 'text'), read(310, 'finish done')];
    expect(subjectOf(buildRecord({ reads, blockedMs })).heldUp).toBe(heldUp);
  });

  it('has no events at all when the answer is no stream', () => {
    const subject = subjectOf(buildRecord({ reads: [read(50, 'text')], answer: { streamed: false } }));
    expect(subject).not.toHaveProperty('firstEventAtNs');
    expect(subject).not.toHaveProperty('firstTokenAtNs');
    expect(subject).toMatchObject({ streamed: false, upstreamEndAtNs: ms(50) });
  });
});
