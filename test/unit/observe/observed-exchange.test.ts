// Goal: what the tape said of an exchange stands in its record, moments and doubts included, and nothing else does.
// Method: hand-made entries; the record of the report they lead to.
import { describe, expect, test } from 'vitest';
import { CHAT_FIELDS, DONE, event, finish, FINISH, recordOf, reportOf, STREAM_FIELDS, text } from './tape-play.ts';

const CHAT = { model: 'm', stream: true, n: 1, max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] };
const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 300, completion_tokens: 70 } })}\n\n`;

test('a usual stream, every entry of it', () => {
  const trace = {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentSpanId: 'b7ad6b7169203331',
    serverSpanId: '00f067aa0ba902b7',
    clientSpanId: '53995c3f42cd8ad8',
    sampled: true,
  };
  const body = Buffer.byteLength(JSON.stringify(CHAT));
  const first = event({ role: 'assistant', content: '' });
  const report = reportOf(
    (play) =>
      play
        .mark('connectStart', 0.1)
        .connected(0.5, { tcpNs: 300_000, dnsNs: 100_000, tlsNs: 5, wireFloorNs: 200_000 })
        .request(CHAT, 1)
        .mark('requestSent', 1.5)
        .mark('informational', 2, 100)
        .head(50)
        .mark('headWritten', 50.1)
        .chunk(60, first)
        .chunk(100, text('a'), { errorBoundNs: 7, queuedBytes: 9 })
        .chunk(120, text('b') + FINISH)
        .chunk(120, USAGE + DONE, { unflushed: true })
        .mark('upstreamEnd', 121)
        .end(122, { requestBytes: body, deliveredBytes: 500 }),
    {
      trace,
      routeIndex: 1,
      target: '/v1/chat/completions?key=secret',
      fields: [...CHAT_FIELDS, 'tracestate', 'a=1', 'TraceState', 'b=2'],
    },
  );
  const bytes = [first, text('a'), text('b') + FINISH, USAGE + DONE].map((chunk) => Buffer.byteLength(chunk));
  expect(report.record).toEqual({
    schema: 1,
    id: '0.0-1',
    openedAtEpochMs: 1_796_000_000_000,
    route: 'other-route',
    class: { name: 'default', stallNs: 100_000_000 },
    labels: { model: 'other', promptBucket: 'unknown' },
    marks: {
      connectStartAtNs: 100_000,
      connectedAtNs: 500_000,
      uploadEndAtNs: 1_000_000,
      requestSentAtNs: 1_500_000,
      headReceivedAtNs: 50_000_000,
      headWrittenAtNs: 50_100_000,
      upstreamEndAtNs: 121_000_000,
      clientEndAtNs: 122_000_000,
    },
    connection: {
      reused: false,
      tcpNs: 300_000,
      dnsNs: 100_000,
      tlsNs: 5,
      wireFloorNs: 200_000,
      handshakeLeastNs: 300_000,
    },
    request: {
      method: 'POST',
      path: '/v1/chat/completions',
      bodyBytes: body,
      model: 'm',
      stream: true,
      choices: 1,
      maxTokens: 50,
      promptBytes: 9,
      generation: true,
    },
    response: {
      status: 200,
      framing: 'chunked',
      mediaType: 'text/event-stream',
      receivedBytes: bytes.reduce((sum, one) => sum + one),
      deliveredBytes: 500,
      chunkCount: 4,
    },
    answer: {
      dialect: 'openai-chat',
      streamed: true,
      terminal: true,
      endMark: true,
      finishReasons: ['stop'],
      choiceCount: 1,
      eventCounts: { role: 1, content: 2, finish: 1, usage: 1, done: 1 },
    },
    tokens: { prompt: 300, output: 70, basis: 'usage' },
    evidence: [],
    chunks: {
      receivedAtNs: [60_000_000, 100_000_000, 120_000_000, 120_000_000],
      writtenAtNs: [60_010_000, 100_010_000, 120_010_000, 120_010_000],
      flushedAtNs: [60_020_000, 100_020_000, 120_020_000, null],
      errorBoundNs: [0, 7, 0, 0],
      bytes,
      queuedBytes: [0, 9, 0, 0],
      flags: [0, 0, 0, 0],
    },
    events: {
      chunk: [0, 1, 2, 2, 3, 3],
      kind: [5, 0, 0, 7, 6, 12],
      generated: [0, 1, 1, 0, 0, 0],
      tokensSoFar: [null, null, null, null, 70, null],
    },
    blockedNs: [],
    pauses: [],
    end: { wire: 'complete', outcome: 'ok', phase: 'after_finish' },
    doubts: [],
    trace: { ...trace, traceState: 'a=1, b=2' },
  });
  expect(report.figures).toMatchObject({ ttftNs: 100_020_000, lastTokenNs: 120_000_000, durationNs: 122_000_000 });
  expect([report.labels.promptBucket, report.outputBucket]).toEqual(['unknown', '64+']);
});

test('an exchange of which only the opening and the end came', () => {
  const record = recordOf((play) =>
    play.end(5, { wireEnd: 'connect_error', reason: 'ECONNREFUSED', answeredByUs: true }),
  );
  expect(record).toMatchObject({
    marks: { clientEndAtNs: 5_000_000 },
    request: { method: 'POST', bodyBytes: 0 },
    response: { receivedBytes: 0, deliveredBytes: 0, chunkCount: 0 },
    answer: { dialect: 'opaque', streamed: false },
    tokens: {},
    end: {
      wire: 'connect_error',
      outcome: 'connect_error',
      phase: 'before_head',
      reason: 'ECONNREFUSED',
      code: 'RBT_UPSTREAM_CONNECT',
    },
    doubts: [],
  });
  for (const absent of ['connection', 'trace'] as const) expect(record[absent]).toBeUndefined();
  expect([record.response.status, record.request.model]).toEqual([undefined, undefined]);
});

describe('what the head says', () => {
  test.each([
    ['close_delimited', ['close_delimited']],
    ['conflict', ['framing_conflict']],
    ['length', []],
  ] as const)('framing %s brings the doubts %j', (framing, doubts) => {
    expect(recordOf((play) => finish(play.request(CHAT).head(50, { framing }).chunk(100, text('a')))).doubts).toEqual(
      doubts,
    );
  });

  test('of an upgrade leaves the bytes unread', () => {
    const record = recordOf((play) => play.head(50, { status: 101, framing: 'upgrade' }).chunk(60, text('a')).end(70), {
      upgrade: true,
      http2: false,
    });
    expect(record.answer).toMatchObject({ dialect: 'opaque', streamed: false, eventCounts: {} });
    expect(record.response).toMatchObject({ status: 101, framing: 'upgrade', chunkCount: 1 });
  });

  test('of the coding is kept, and a body nobody can read is a doubt', () => {
    const fields = [...STREAM_FIELDS, 'Content-Encoding', 'zip'];
    const record = recordOf((play) => play.request(CHAT).head(50, { fields }).chunk(60, 'x').end(70));
    expect([record.response.encoding, record.doubts]).toEqual(['zip', ['unreadable']]);
  });

  test('of the media type is cut to its length, and may be missing', () => {
    const typeOf = (fields: string[]) => recordOf((play) => play.head(50, { fields }).end(70)).response.mediaType;
    expect(typeOf(['content-type', `application/${'x'.repeat(100)}`])).toHaveLength(64);
    expect(typeOf([])).toBeUndefined();
  });
});

describe('the class', () => {
  test('is frozen at the first chunk: what the request says later does not change it', () => {
    const late = recordOf((play) =>
      finish(
        play
          .head(50)
          .chunk(100, text('a'))
          .request({ ...CHAT, model: 'slow' }, 110),
      ),
    );
    expect([late.class.name, late.request.model]).toEqual(['default', 'slow']);
    const before = recordOf((play) =>
      finish(
        play
          .head(50)
          .request({ ...CHAT, model: 'slow' }, 60)
          .chunk(100, text('a')),
      ),
    );
    expect(before.class).toEqual({ name: 'batch', stallNs: 1_000_000_000 });
  });

  test('is frozen by a chunk without any event as well', () => {
    const record = recordOf((play) =>
      finish(
        play
          .head(50)
          .chunk(100, ':', { unflushed: true })
          .request({ ...CHAT, model: 'slow' }, 110)
          .chunk(120, '\n\n'),
      ),
    );
    expect(record.class.name).toBe('default');
  });

  test('of an exchange without chunks is that of its end', () => {
    expect(
      recordOf((play) => play.request({ ...CHAT, model: 'slow' }).end(1, { wireEnd: 'connect_error' })).class.name,
    ).toBe('batch');
  });

  test('may be named by the header', () => {
    const fields = [...CHAT_FIELDS, 'X-Traffic-Class', 'batch'];
    expect(recordOf((play) => finish(play.request(CHAT).head(5).chunk(9, text('a'))), { fields }).class.name).toBe(
      'batch',
    );
  });
});

describe('a request of which not all was copied', () => {
  test('is a doubt, and its ends are read', () => {
    const record = recordOf((play) => {
      const tail = Buffer.from('"x"]}],"model":"m"}');
      play.requestBytes(0, Buffer.from('{"stream":true,"messages":[{"content":"'));
      play.requestBytes(400_000, tail).mark('uploadEnd', 1, 400_000 + tail.length);
      play
        .head(5)
        .chunk(9, text('a'))
        .chunk(10, FINISH + DONE)
        .end(11, { requestBytes: 400_000 + tail.length });
    });
    expect(record.doubts).toEqual(['request_cut']);
    expect(record.request).toMatchObject({ stream: true, model: 'm', bodyBytes: 400_019 });
  });

  test('is no doubt when there was no body at all', () => {
    expect(recordOf((play) => play.end(5, { wireEnd: 'client_abort' })).doubts).toEqual([]);
  });
});
