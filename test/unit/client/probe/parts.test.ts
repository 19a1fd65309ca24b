// Goal: the parts of a probe that need no wire: strips, moments, one verdict over several, troubles in words.
// Method: values in, values out.
import { describe, expect, test } from 'vitest';
import { momentsOf } from '../../../../src/client/probe/moments.ts';
import type { ProbeStream } from '../../../../src/client/probe/result.ts';
import { signWords } from '../../../../src/client/probe/sign-words.ts';
import { LiveStrip, stripOf } from '../../../../src/client/probe/strip.ts';
import { troubleOf } from '../../../../src/client/probe/trouble.ts';
import { verdictOver } from '../../../../src/client/probe/verdict.ts';
import type { DeliveryVerdict } from '../../../../src/judge/delivery/verdict.ts';
import { measureRecord } from '../../../../src/measure/measure-record.ts';
import { buildRecord, ms, read, texts, type RecordSpec } from '../../../support/record-builder.ts';

describe('the strip', () => {
  test('one mark a cell, scaled to the whole stream', () => {
    const strip = stripOf(
      [0, 500, 510, 990].map((atMs) => ({ atNs: ms(atMs), textEventCount: atMs === 0 ? 0 : 1 })),
      ms(1000),
    );
    expect(strip).toBe(`|-${'.'.repeat(31)}2${'.'.repeat(30)}1| 1.00 s`);
  });

  test('ten and more are one mark', () => {
    expect(stripOf([{ atNs: 0, textEventCount: 64 }], 64)).toMatch(/^\|#\.+\|/);
  });

  test('live, a line is finished before the next begins, and silence is drawn', () => {
    const written: string[] = [];
    const strip = new LiveStrip((text) => void written.push(text));
    strip.add({ atNs: ms(30), textEventCount: 3 });
    strip.end(ms(1700));
    const lines = written
      .join('')
      .split('\n')
      .map((line) => line.split('\r').at(-1));
    expect(lines).toEqual([`   0.0 s |.3${'.'.repeat(62)}`, '   1.6 s |.....', '']);
  });
});

test('the parts of the wait lie between the events they name', () => {
  const record = buildRecord({
    reads: texts(300, 20, 10),
    marks: {
      connectedAtNs: ms(40),
      requestSentAtNs: ms(41),
      headReceivedAtNs: ms(90),
      upstreamEndAtNs: ms(500),
      clientEndAtNs: ms(500),
    },
    connection: { reused: false, dnsNs: ms(5), tcpNs: ms(15), tlsNs: ms(20) },
  });
  const moments = momentsOf(record, measureRecord(record));
  expect(moments).toMatchObject({
    dnsNs: ms(5),
    tcpNs: ms(15),
    tlsNs: ms(20),
    sendNs: ms(1),
    headNs: ms(49),
    streamNs: expect.any(Number),
  });
  expect(moments.tailNs).toBe(ms(20));
  expect(momentsOf(buildRecord({}), measureRecord(buildRecord({})))).not.toHaveProperty('ttftNs');
});

function said(...words: DeliveryVerdict['word'][]): ProbeStream[] {
  return words.map((word) => ({
    delivery: {
      word,
      ...(word === 'holds' ? { way: 'size' as const } : {}),
      confidence: word === 'unsure' ? 0 : 0.95,
      signs: [],
      numbers: {},
    },
  })) as unknown as ProbeStream[];
}

describe('one verdict over several streams', () => {
  test.each([
    ['holds', said('holds', 'holds', 'unsure')],
    ['holds', said('holds')],
    ['unsure', said('holds', 'passes')],
    ['unsure', said('holds', 'passes', 'passes', 'passes')],
    ['passes', said('passes', 'unsure')],
    ['unsure', said('passes', 'unsure', 'unsure')],
  ] as const)('%s', (word, streams) => {
    expect(verdictOver(streams)?.word).toBe(word);
  });

  test('there is none without a stream of text', () => {
    expect(verdictOver([])).toBeUndefined();
  });

  test('two points know more than one', () => {
    const [one] = said('unsure');
    const pair = {
      ...one,
      hop: { hop: 'gw', word: 'holds', way: 'timer', confidence: 0.99, signs: [], numbers: {} },
    } as ProbeStream;
    expect(verdictOver([pair])).toMatchObject({ word: 'holds', way: 'timer', points: 2, confidence: 0.99 });
  });

  test('the cure is that of the product seen on the way', () => {
    const [one] = said('holds');
    const seen = { ...one, hopSigns: { products: ['nginx'] } } as ProbeStream;
    expect(verdictOver([seen])?.cures).toEqual([expect.stringContaining('proxy_buffering off')]);
  });
});

test('every sign is a sentence with its figures; an unknown one is its name', () => {
  const verdict = {
    word: 'holds',
    confidence: 1,
    signs: ['bursts_of_a_buffer', 'new_sign'],
    numbers: { fullBursts: 3, blockBytes: 4096 },
  } as const;
  expect(signWords(verdict)).toEqual(['3 bursts of 4096 bytes or a multiple, whatever was in them', 'new sign']);
});

describe('troubles', () => {
  function trouble(spec: RecordSpec, bodyStart = '', errorCode?: string, secrets: string[] = []) {
    return troubleOf({ record: buildRecord(spec), text: undefined, openedAtNs: 0, bodyStart, errorCode }, secrets);
  }

  test('a good stream has none', () => {
    expect(trouble({ reads: [...texts(10, 10, 10), read(200, 'finish done')] })).toBeUndefined();
  });

  test('a refusal shows the message, one line of it, without the key', () => {
    const body = JSON.stringify({ error: { message: 'Bad key\n sk-secret given' } });
    const found = trouble({ status: 401 }, body, undefined, ['sk-secret']);
    expect(found?.says).toBe('The answer is an error: status 401, "Bad key *** given".');
    expect(found?.cure).toContain('--key-env');
  });

  test.each([
    ['connect_error', 'ECONNREFUSED', 'Nothing listens there'],
    ['connect_error', 'DEPTH_ZERO_SELF_SIGNED_CERT', '--ca FILE'],
    ['timeout_head', undefined, '--timeout'],
  ] as const)('%s %s is told with what to do', (wire, code, cure) => {
    expect(trouble({ status: null, wire }, '', code)?.cure).toContain(cure);
  });

  test('an answer that is no stream, and a stream without text', () => {
    expect(trouble({ answer: { streamed: false }, response: { mediaType: 'application/json' } })?.says).toContain(
      'application/json, no stream',
    );
    expect(trouble({ reads: [read(10, 'usage done')] })?.says).toContain('no generated text');
  });

  test('a cut stream', () => {
    expect(trouble({ reads: texts(10, 10, 10), wire: 'upstream_aborted' }, '', 'ECONNRESET')?.says).toContain(
      'ECONNRESET',
    );
  });
});
