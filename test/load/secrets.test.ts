// Goal: nothing that a client or an engine would not show a stranger is in any output of rubato.
// Method: canaries in every place where a secret or a text of people can be, through every kind of
// exchange, with the most talkative log; then every output is searched, encoded in the usual ways too.
// `tracestate`, the path, the model's name and the answer's id are shown by design and hold none.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OtlpCatcher } from '../support/otlp-catcher.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine, type Script } from '../support/raw-engine.ts';
import { actAt, at, c, D, delta, DONE, END, event, FINISH, HEAD, head, requestOf } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';

const canaries: string[] = [];

function canary(place: string): string {
  const text = `canary${canaries.length}${place}Zq7`;
  canaries.push(text);
  return text;
}

const SENT_FIELDS = [
  `authorization: Bearer ${canary('Authorization')}`,
  `x-api-key: ${canary('XApiKey')}`,
  `api-key: ${canary('ApiKey')}`,
  `proxy-authorization: Basic ${canary('ProxyAuthorization')}`,
  `cookie: session=${canary('Cookie')}`,
  `user-agent: ${canary('UserAgent')}`,
  `x-forwarded-for: ${canary('ForwardedFor')}`,
  `x-traffic-class: ${canary('ClassHeader')}`,
  `x-anything: ${canary('AnyField')}`,
  `baggage: user=${canary('Baggage')}`,
  'content-type: application/json',
];
const ANSWER_FIELDS = [`set-cookie: s=${canary('SetCookie')}`, `x-answer: ${canary('AnswerField')}`];
const TARGET = `/v1/chat/completions?api_key=${canary('Query')}`;
const BODY = JSON.stringify({
  model: 'm',
  stream: true,
  user: canary('User'),
  metadata: { [canary('MetadataKey')]: canary('Metadata') },
  stop: [canary('Stop')],
  messages: [
    { role: 'system', content: canary('SystemPrompt') },
    { role: 'user', content: [{ type: 'text', text: canary('Prompt') }] },
    { role: 'tool', tool_call_id: canary('ToolCallId'), content: canary('ToolResult') },
  ],
  tools: [{ type: 'function', function: { name: canary('ToolName'), description: canary('ToolText') } }],
});
const CALL = { index: 0, id: canary('CallId'), function: { name: canary('CallName'), arguments: canary('CallArgs') } };
const LOGPROBS = { content: [{ token: canary('Logprob'), logprob: -1 }] };
const STREAM_HEAD = HEAD.replace('\r\n\r\n', `\r\n${ANSWER_FIELDS.join('\r\n')}\r\n\r\n`);
const ERROR = { error: { message: canary('ErrorText'), type: 'server_error', code: 500, param: canary('ErrorParam') } };

const SCRIPTS: Readonly<Record<string, Script>> = {
  'a stream of everything': [
    at(0, STREAM_HEAD),
    at(5, c(`: ${canary('Comment')}\n\n`), c(delta({ reasoning_content: canary('Reasoning') }))),
    at(10, c(D(canary('Completion'))), c(delta({ tool_calls: [CALL] })), c(delta({ refusal: canary('Refusal') }))),
    at(15, c(event({ choices: [{ index: 0, delta: { content: 'x' }, logprobs: LOGPROBS }] })), c(FINISH + DONE), END),
  ],
  'an error in the stream': [at(0, STREAM_HEAD), at(5, c(D('a')), c(event(ERROR)), END)],
  'an event that is no JSON': [at(0, STREAM_HEAD), at(5, c(`data: {${canary('NoJson')}\n\n`), c(FINISH + DONE), END)],
  'a stream cut inside an event': [
    at(0, STREAM_HEAD),
    at(5, c(D('a') + `data: ${canary('CutEvent')}`)),
    actAt(10, 'rst'),
  ],
  'an error status': [
    at(
      0,
      head('500 Oh', ...ANSWER_FIELDS, 'content-type: application/json', 'connection: close'),
      JSON.stringify(ERROR),
    ),
    actAt(5, 'fin'),
  ],
  'an answer that is no stream': [
    at(0, head('200 OK', 'content-type: application/json', 'connection: close')),
    at(5, JSON.stringify({ choices: [{ message: { content: canary('PlainAnswer') }, finish_reason: 'stop' }] })),
    actAt(10, 'fin'),
  ],
  'a status line nobody can send': [at(0, `HTTP/1.1 099 ${canary('Reason')}\r\ncontent-length: 0\r\n\r\n`)],
  'a head that is no head': [at(0, `${canary('NoHead')}\r\n\r\n`), actAt(5, 'fin')],
  'no answer': [actAt(5, 'rst')],
  'a broken chunk size': [at(0, STREAM_HEAD, `zz${canary('ChunkSize')}\r\n`), actAt(10, 'fin')],
};
const UNREADABLE = [
  `GET /${canary('BadVersion')} HTTP/9.9\r\n\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\nno colon ${canary('BadField')}\r\n\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\nhost: ${canary('TwoHosts')}\r\n\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\nx: ${canary('TwoLengths')}\r\n\r\n`,
];

let engine: RawEngine;
let catcher: OtlpCatcher;
let sidecar: Sidecar;

beforeAll(async () => {
  engine = await RawEngine.start();
  catcher = await OtlpCatcher.start();
  catcher.keepsBodies = true;
  sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    args: ['--log-level', 'trace'],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: catcher.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
  });
});
afterAll(async () => {
  expect(engine.faults).toEqual([]);
  await sidecar.stop();
  await catcher.stop();
  await engine.stop();
});

async function playAll(): Promise<void> {
  for (const script of Object.values(SCRIPTS)) {
    const plan = engine.plan(script);
    const client = await RawClient.open(sidecar.listenPort);
    const lines = [...SENT_FIELDS, `${PLAN_FIELD}: ${plan.id}`];
    client.request(requestOf({ method: 'POST', target: TARGET, lines, body: BODY }));
    await client.response().catch(() => undefined);
    client.close();
  }
  for (const request of UNREADABLE) {
    const client = await RawClient.open(sidecar.listenPort);
    client.request(request);
    await client.untilGone();
    client.close();
  }
}

/** Every page of the admin port, and each record it remembers. */
async function adminTexts(): Promise<[string, string][]> {
  const streams = (await sidecar.admin('/api/streams')).text;
  const { recent } = JSON.parse(streams) as { recent: { id: string }[] };
  const paths = [
    '/',
    '/metrics',
    '/healthz',
    '/readyz',
    '/api/summary',
    ...recent.map(({ id }) => `/api/streams/${id}`),
  ];
  const texts = paths.map(async (path): Promise<[string, string]> => [path, (await sidecar.admin(path)).text]);
  const openMetrics = await fetch(`http://127.0.0.1:${sidecar.adminPort}/metrics`, {
    headers: { accept: 'application/openmetrics-text' },
  });
  return [['/api/streams', streams], ['OpenMetrics', await openMetrics.text()], ...(await Promise.all(texts))];
}

test('no output of any kind holds a canary', async () => {
  await playAll();
  await sidecar.untilRecords(Object.keys(SCRIPTS).length);
  const outputs = await adminTexts();
  sidecar.signal('SIGTERM');
  await sidecar.untilExit();
  outputs.push(['log', [...sidecar.logs.map((line) => JSON.stringify(line)), ...sidecar.noise].join('\n')]);
  outputs.push(['records', readFileSync(sidecar.recordFile, 'utf8')]);
  outputs.push(...catcher.bodies.map(({ url, bytes }): [string, string] => [url, bytes.toString()]));

  expect(catcher.spans.length).toBeGreaterThanOrEqual(2 * Object.keys(SCRIPTS).length);
  expect(outputs.filter(([, text]) => text.length === 0).map(([name]) => name)).toEqual([]);
  const found = outputs.flatMap(([name, text]) => {
    return canaries
      .filter((each) => formsOf(each).some((form) => text.includes(form)))
      .map((each) => `${each} in ${name}`);
  });
  expect(found).toEqual([]);
});

/** A canary as it is, and as encodings without loss would show it. */
function formsOf(text: string): string[] {
  return [
    text,
    Buffer.from(text).toString('base64').replaceAll('=', '').slice(0, -2),
    Buffer.from(text).toString('hex'),
  ];
}
