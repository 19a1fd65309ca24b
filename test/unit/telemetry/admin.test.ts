// Goal: the admin port tells what it is given to those who may ask, and nothing to anybody else.
// Method: a real server on port 0, raw request heads where a client library would tidy them up.
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../../src/judge/diagnosis/finding.ts';
import type { EngineState } from '../../../src/judge/engine-state.ts';
import { startAdmin, type AdminServer } from '../../../src/telemetry/admin.ts';
import type { HopState } from '../../../src/judge/hop/state.ts';
import type { AdminData } from '../../../src/telemetry/admin-answers.ts';
import { refusalOf } from '../../../src/telemetry/admin-guard.ts';
import type { OpenDetail } from '../../../src/telemetry/live/open-detail.ts';
import { createSummary } from '../../../src/telemetry/summary.ts';
import { catchLog, HOP, reportOf, tell, usualStream } from './reports.ts';

const REPORT = reportOf(usualStream(3), { id: '0-5' }, { model: '<script>alert("x")</script>' });

const ENGINE: EngineState = {
  route: '<b>chat</b>',
  engine: 'vllm',
  up: true,
  ageNs: 2_400_000_000,
  runningCount: 3,
  waitingCount: 17,
  kvUsedRatio: 0.87,
  window: { windowNs: 5_000_000_000, queueMeanNs: 41_500_000 },
};

const pulses = [{ name: 'relay-0', beats: new Int32Array(new SharedArrayBuffer(4)) }];

const OPEN = {
  id: '0-9',
  openedAtEpochMs: 1,
  route: 'default',
  class: 'default',
  model: 'other',
  phase: 'head',
  ageMs: 4,
  chunkCount: 0,
} as const;

const OPEN_DETAIL: OpenDetail = {
  open: OPEN,
  marks: { uploadEndAtNs: 7 },
  chunks: REPORT.record.chunks,
  events: REPORT.record.events,
  stallCount: 0,
  stalls: [],
};

let engines: readonly EngineState[] = [];
let diagnoses: readonly Diagnosis[] = [];
let hops: readonly HopState[] = [];
const log = catchLog();
let server: AdminServer;

function usualData(): AdminData {
  const summary = createSummary();
  tell(summary, REPORT);
  return {
    ready: () => ({ ok: false, reasons: ['upstream default does not answer'] }),
    openExchanges: () => [OPEN],
    recent: () => [{ id: '0-5', outcome: 'ok', wireEnd: 'complete', report: REPORT }],
    openDetail: (id) => (id === '0-9' ? OPEN_DETAIL : undefined),
    isSettling: (id) => id === '0-7',
    record: (id) => (id === '0-5' ? REPORT : undefined),
    metricsText: (accept) => ({
      pieces: [`accept ${accept}\n`],
      contentType: 'text/plain; version=0.0.4; charset=utf-8',
    }),
    summary: () => summary.read(),
    engines: () => engines,
    floors: () => [],
    diagnoses: () => diagnoses,
    hops: () => hops,
    jobs: () => ({ open: [], recent: [] }),
    pairing: (query) => ({ asked: query }),
  };
}

const data = usualData();
const live = { events: () => ({}) };

// One thread for all tests: each takes a while to start.
beforeAll(async () => {
  server = await startAdmin({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: ['rubato.internal'],
    data,
    live,
    pulses,
    log,
  });
});

beforeEach(() => {
  log.lines.length = 0;
  engines = [];
  diagnoses = [];
  hops = [];
  Object.assign(data, usualData());
  server.setPulses(pulses);
});

afterAll(() => server.close());

interface Answer {
  readonly status: number;
  readonly fields: Record<string, string | string[] | undefined>;
  readonly body: string;
}

function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.on('data', (piece: Buffer) => (body += piece.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, fields: response.headers, body }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

const json = (answer: Answer) => JSON.parse(answer.body);

describe('hops', () => {
  it('have a list of their own and a place in the summary', async () => {
    expect(json(await ask('/api/hops'))).toEqual({ hops: [] });
    hops = [HOP];
    expect(json(await ask('/api/hops'))).toEqual({ hops: [HOP] });
    expect(json(await ask('/api/summary')).hops).toEqual([HOP]);
  });

  it('are asked about by a peer in a query, which passes as it is', async () => {
    expect(json(await ask('/api/pairing?trace=ab%20c&request=x?y'))).toEqual({ asked: 'trace=ab%20c&request=x?y' });
    expect(json(await ask('/api/pairing'))).toEqual({ asked: '' });
  });
});

describe('answers', () => {
  it('metrics in the format asked for', async () => {
    const answer = await ask('/metrics', { accept: 'text/plain' });
    expect([answer.status, answer.body, answer.fields['content-type']]).toEqual([
      200,
      'accept text/plain\n',
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
  });

  it('health by what it is told of the relays', async () => {
    server.setPulses([...pulses, { name: 'relay-1', beats: undefined }]);
    const health = await ask('/healthz');
    expect([health.status, json(health).ok, json(health).relays.map((each: { ok: boolean }) => each.ok)]).toEqual([
      503,
      false,
      [true, false],
    ]);
  });

  it('health with 200 and readiness with 503 and its reasons', async () => {
    const [health, ready] = [await ask('/healthz'), await ask('/readyz')];
    expect([health.status, json(health).relays[0].name]).toEqual([200, 'relay-0']);
    expect([ready.status, json(ready).reasons]).toEqual([503, ['upstream default does not answer']]);
  });

  it('open and recent exchanges, and one record with its chunks', async () => {
    const streams = json(await ask('/api/streams'));
    expect(streams.open).toHaveLength(1);
    expect(streams.recent[0]).toMatchObject({ id: '0-5', outcome: 'ok', status: 200, chunkCount: 5, stallCount: 0 });
    const report = json(await ask('/api/streams/0-5'));
    expect(report.record.chunks.receivedAtNs).toEqual(REPORT.record.chunks.receivedAtNs);
    expect(json(await ask('/api/streams/0-9'))).toEqual(OPEN_DETAIL);
    const settling = await ask('/api/streams/0-7');
    expect([settling.status, json(settling).error, settling.fields['retry-after']]).toEqual([503, 'settling', '1']);
    const unknown = await ask('/api/streams/nope');
    expect([unknown.status, json(unknown).error]).toEqual([404, 'not_found']);
  });

  it('the summary', async () => {
    expect(json(await ask('/api/summary')).classes[0]).toMatchObject({ class: 'default', outcomeCounts: { ok: 1 } });
  });

  it('what ails each engine, in words, and nothing where nothing does', async () => {
    expect(json(await ask('/api/diagnosis'))).toEqual({ diagnoses: [] });
    diagnoses = [
      {
        route: 'default',
        moved: 'ttft',
        findings: [{ cause: 'queueing', weight: 0.5, says: 'Requests wait <here>.', numbers: { waitingMax: 4 } }],
        playbook: [{ step: 'Add replicas.', why: 'They help.' }],
        says: ['TTFT got worse.'],
      },
    ];
    expect(json(await ask('/api/diagnosis'))).toEqual({ diagnoses });
  });

  it('what the engines say of themselves, beside the classes and as what it is', async () => {
    expect(json(await ask('/api/summary')).engines).toEqual([]);
    engines = [ENGINE, { route: 'gone', up: false }];
    const summary = json(await ask('/api/summary'));
    expect([summary.engines[0], summary.classes.length]).toEqual([ENGINE, 1]);
  });

  it('nothing may be kept, guessed at or read by other origins', async () => {
    const { fields } = await ask('/api/summary');
    expect([fields['cache-control'], fields['x-content-type-options'], fields['cross-origin-resource-policy']]).toEqual(
      ['no-store', 'nosniff', 'same-origin'],
    );
    expect(Object.keys(fields).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('errors are JSON, and a fault of ours tells its reason to the log only', async () => {
    const missing = await ask('/nothing');
    expect([missing.status, json(missing).error]).toEqual([404, 'not_found']);
    data.summary = () => {
      throw new Error('inner secret');
    };
    const broken = await ask('/api/summary');
    expect([broken.status, json(broken).error, broken.body.includes('secret')]).toEqual([500, 'internal', false]);
    expect(log.lines[0]?.fields['fault']).toBe('inner secret');
  });
});

describe('the guard', () => {
  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
    const answer = await ask('/api/streams', {}, method);
    expect([answer.status, answer.fields['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('answers HEAD as GET without a body', async () => {
    const answer = await ask('/metrics', {}, 'HEAD');
    expect([answer.status, answer.body]).toEqual([200, '']);
  });

  it.each(['evil.example', 'evil.example:9464', '127.0.0.1.evil.example', 'localhost.evil.example'])(
    'refuses the host %j on every page',
    async (host) => {
      for (const path of ['/', '/metrics', '/api/streams', '/nothing']) {
        const answer = await ask(path, { host });
        expect([path, answer.status]).toEqual([path, 403]);
        expect(json(answer).error).toBe('host_not_allowed');
      }
    },
  );

  it.each([
    '127.0.0.1:9464',
    '[::1]:9464',
    '10.1.2.3',
    'localhost',
    'LOCALHOST:80',
    'rubato.internal',
    'rubato.internal.:80',
  ])('takes the host %s', async (host) => {
    expect((await ask('/healthz', { host })).status).toBe(200);
  });

  it('takes its own origin and refuses any other', async () => {
    const host = 'localhost:9464';
    expect((await ask('/healthz', { host, origin: 'http://localhost:9464' })).status).toBe(200);
    for (const origin of ['http://evil.example', 'null', 'http://localhost:9465']) {
      expect((await ask('/healthz', { host, origin })).status).toBe(403);
    }
  });

  it.each([undefined, '', 'a b', 'localhost:99999999', '[::1', '::1]', 'localhost/x'])(
    'refuses the host %j',
    (host) => {
      expect(refusalOf({ method: 'GET', host, origin: undefined }, new Set())?.status).toBe(403);
    },
  );
});

it('a head that is too large, or is no HTTP, is refused and the port lives on', async () => {
  for (const head of [`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 'nonsense\r\n\r\n']) {
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(server.port, '127.0.0.1', () => socket.write(head));
      socket.on('data', (piece) => (text += piece.toString()));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 4(00|31) /);
  }
  expect((await ask('/healthz')).status).toBe(200);
});

it('a port in use rejects with the error of the system', async () => {
  const again = startAdmin({ host: '127.0.0.1', port: server.port, allowedHosts: [], data, live, pulses, log });
  await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
