// Every place of an exchange in which a secret or a text of people can be, each with a canary: a word that
// is nowhere else. For the test that looks for them in all that leaves rubato.
// `tracestate`, the path, the model's name and the answer's id are shown by design and hold none.
import { FORMS, NDJSON_HEAD } from './dialect-forms.ts';
import type { Script } from './raw-engine.ts';
import { actAt, at, bytesOf, c, D, delta, DONE, END, event, FINISH, HEAD, head } from './script.ts';
import { hashOf, pointsOf } from './text-oracle.ts';
import { TYPED_FORMS } from './typed-forms.ts';

export const canaries: string[] = [];

export function canary(place: string): string {
  const text = `canary${canaries.length}${place}Zq7`;
  canaries.push(text);
  return text;
}

/** A canary as it is, and as encodings without loss would show it. */
function formsOf(text: string): string[] {
  return [
    text,
    Buffer.from(text).toString('base64').replaceAll('=', '').slice(0, -2),
    Buffer.from(text).toString('hex'),
  ];
}

/** An output has it, in one of these forms or as the hash by which answers are found to be the same. */
export function holds(output: string, text: string): boolean {
  if (formsOf(text).some((form) => output.includes(form))) return true;
  // As a number of its own: a longer one can have any digits in it.
  return new RegExp(`(?<![\\d.])${hashOf(pointsOf(text))}(?![\\d.])`).test(output);
}

export interface SecretPlay {
  readonly target: string;
  readonly lines: readonly string[];
  readonly body: string;
  readonly script: Script;
}

const SENT_FIELDS = [
  `authorization: Bearer ${canary('Authorization')}`,
  `x-api-key: ${canary('XApiKey')}`,
  `api-key: ${canary('ApiKey')}`,
  `x-goog-api-key: ${canary('GoogApiKey')}`,
  `proxy-authorization: Basic ${canary('ProxyAuthorization')}`,
  `cookie: session=${canary('Cookie')}`,
  `user-agent: ${canary('UserAgent')}`,
  `x-forwarded-for: ${canary('ForwardedFor')}`,
  `x-traffic-class: ${canary('ClassHeader')}`,
  `referer: https://${canary('Referer')}/`,
  `openai-organization: ${canary('Organization')}`,
  `x-anything: ${canary('AnyField')}`,
  `baggage: user=${canary('Baggage')}`,
];
const JSON_FIELDS = [...SENT_FIELDS, 'content-type: application/json'];
const ANSWER_FIELDS = [
  `set-cookie: s=${canary('SetCookie')}`,
  `x-answer: ${canary('AnswerField')}`,
  `openai-organization: ${canary('AnswerOrganization')}`,
  `server-timing: ${canary('TimingName')};desc="${canary('TimingText')}";dur=5`,
];
const QUERY = `api_key=${canary('Query')}&key=${canary('QueryKey')}`;
const TARGET = `/v1/chat/completions?${QUERY}`;

/** What people write, in the words of every API at once. */
const BODY = JSON.stringify({
  model: 'm',
  stream: true,
  user: canary('User'),
  metadata: { [canary('MetadataKey')]: canary('Metadata') },
  stop: [canary('Stop')],
  messages: [
    { role: 'system', content: canary('SystemPrompt') },
    { role: 'user', content: [{ type: 'text', text: canary('Prompt') }] },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: `https://a/${canary('ImageUrl')}` } }] },
    { role: 'tool', tool_call_id: canary('ToolCallId'), content: canary('ToolResult') },
  ],
  tools: [{ type: 'function', function: { name: canary('ToolName'), description: canary('ToolText') } }],
  system: canary('System'),
  instructions: canary('Instructions'),
  input: [{ role: 'user', content: canary('Input') }],
  inputs: canary('Inputs'),
  prompt: canary('PlainPrompt'),
  suffix: canary('Suffix'),
  contents: [{ role: 'user', parts: [{ text: canary('GeminiPart') }] }],
  systemInstruction: { parts: [{ text: canary('GeminiSystem') }] },
  text_input: canary('TritonInput'),
  chat_history: [{ role: 'USER', message: canary('History') }],
  documents: [{ text: canary('Document') }],
});
const CALL = { index: 0, id: canary('CallId'), function: { name: canary('CallName'), arguments: canary('CallArgs') } };
const LOGPROBS = { content: [{ token: canary('Logprob'), logprob: -1 }] };
const STREAM_HEAD = HEAD.replace('\r\n\r\n', `\r\n${ANSWER_FIELDS.join('\r\n')}\r\n\r\n`);
const ERROR = { error: { message: canary('ErrorText'), type: 'server_error', code: 500, param: canary('ErrorParam') } };
const typed = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

function chat(script: Script, more: Partial<SecretPlay> = {}): SecretPlay {
  return { target: TARGET, lines: JSON_FIELDS, body: BODY, script, ...more };
}

const OF_CHAT: Readonly<Record<string, SecretPlay>> = {
  'a stream of everything': chat([
    at(0, STREAM_HEAD),
    at(5, c(`: ${canary('Comment')}\n\n`), c(delta({ reasoning_content: canary('Reasoning') }))),
    at(10, c(D(canary('Completion'))), c(delta({ tool_calls: [CALL] })), c(delta({ refusal: canary('Refusal') }))),
    at(15, c(event({ choices: [{ index: 0, delta: { content: 'x' }, logprobs: LOGPROBS }] })), c(FINISH + DONE), END),
  ]),
  'an error in the stream': chat([at(0, STREAM_HEAD), at(5, c(D('a')), c(event(ERROR)), END)]),
  'an event that is no JSON': chat([
    at(0, STREAM_HEAD),
    at(5, c(`data: {${canary('NoJson')}\n\n`), c(`data: ${canary('NoObject')}\n\n`), c(FINISH + DONE), END),
  ]),
  'a stream cut inside an event': chat([
    at(0, STREAM_HEAD),
    at(5, c(D('a') + `data: ${canary('CutEvent')}`)),
    actAt(10, 'rst'),
  ]),
  'an error status': chat([
    at(
      0,
      head('500 Oh', ...ANSWER_FIELDS, 'content-type: application/json', 'connection: close'),
      JSON.stringify(ERROR),
    ),
    actAt(5, 'fin'),
  ]),
  'an answer that is no stream': chat([
    at(0, head('200 OK', 'content-type: application/json', 'connection: close')),
    at(5, JSON.stringify({ choices: [{ message: { content: canary('PlainAnswer') }, finish_reason: 'stop' }] })),
    actAt(10, 'fin'),
  ]),
  'an answer of a type nobody reads': chat([
    at(0, head('200 OK', `content-type: text/x; name=${canary('MediaParameter')}`, 'connection: close')),
    at(5, canary('OpaqueAnswer')),
    actAt(10, 'fin'),
  ]),
  'a status line nobody can send': chat([at(0, `HTTP/1.1 099 ${canary('Reason')}\r\ncontent-length: 0\r\n\r\n`)]),
  'a reason of its own': chat([at(0, head(`418 ${canary('OwnReason')}`, 'content-length: 0'))]),
  'a redirect': chat([at(0, head('302 Found', `location: https://a/?k=${canary('Location')}`, 'content-length: 0'))]),
  'a head that is no head': chat([at(0, `${canary('NoHead')}\r\n\r\n`), actAt(5, 'fin')]),
  'no answer': chat([actAt(5, 'rst')]),
  'a broken chunk size': chat([at(0, STREAM_HEAD, `zz${canary('ChunkSize')}\r\n`), actAt(10, 'fin')]),
  'a chunk extension': chat([
    at(0, STREAM_HEAD, `3;x=${canary('Extension')}\r\n: a\r\n`),
    at(5, c('\n\n' + DONE), END),
  ]),
  'trailers of the answer': chat([
    at(0, STREAM_HEAD, c(D('a')), c(FINISH + DONE)),
    at(5, `0\r\nx-trailer: ${canary('Trailer')}\r\n\r\n`),
  ]),
};

const ONE_OK = [at(0, HEAD, c(D('a')), c(FINISH + DONE), END)];
const OF_BODIES: Readonly<Record<string, SecretPlay>> = {
  'a form with files': chat(ONE_OK, {
    target: `/v1/audio/transcriptions?${QUERY}`,
    lines: [...SENT_FIELDS, `content-type: multipart/form-data; boundary=${canary('Boundary')}`],
    body: `--b\r\ncontent-disposition: form-data; name="file"; filename="${canary('FileName')}"\r\n\r\n${canary('FileText')}\r\n--b--\r\n`,
  }),
  'a body that is no JSON': chat(ONE_OK, { body: `{"model":"m","messages":[${canary('BrokenBody')}` }),
  'a body as a form': chat(ONE_OK, {
    lines: [...SENT_FIELDS, 'content-type: application/x-www-form-urlencoded'],
    body: `prompt=${canary('FormPrompt')}`,
  }),
};

/** An answer and an error in the words of every dialect. */
function ofDialects(): Record<string, SecretPlay> {
  const plays: Record<string, SecretPlay> = {};
  for (const form of [...FORMS, ...TYPED_FORMS]) {
    const target = `${form.target.replace('{model}', 'm')}${form.target.includes('?') ? '&' : '?'}${QUERY}`;
    const words = form.token(canary('DialectText'), 1);
    plays[`${form.dialect} on ${form.target}`] = chat(
      [
        at(0, form.head),
        ...form.openings.map((opening) => at(2, c(opening))),
        at(5, c(words)),
        at(10, c(form.end(1)), END),
      ],
      { target },
    );
    plays[`${form.dialect} on ${form.target}, cut`] = chat(
      [at(0, form.head), at(5, c(bytesOf(words).subarray(0, -3))), actAt(15, 'rst')],
      {
        target,
      },
    );
  }
  return plays;
}

const OF_ERRORS: Readonly<Record<string, SecretPlay>> = {
  'an error of Anthropic': chat(
    [at(0, HEAD, c(typed('error', { error: { type: 'overloaded_error', message: canary('ClaudeError') } })), END)],
    { target: `/v1/messages?${QUERY}` },
  ),
  'an error of Responses': chat(
    [
      at(
        0,
        HEAD,
        c(
          typed('response.failed', {
            response: { error: { code: 'server_error', message: canary('ResponsesError') } },
          }),
        ),
        END,
      ),
    ],
    { target: `/v1/responses?${QUERY}` },
  ),
  'an error of Ollama': chat([at(0, NDJSON_HEAD, c(`${JSON.stringify({ error: canary('OllamaError') })}\n`), END)], {
    target: `/api/chat?${QUERY}`,
  }),
  'an error of Gemini': chat(
    [at(0, HEAD, c(event({ error: { code: 400, status: 'INVALID_ARGUMENT', message: canary('GeminiError') } })), END)],
    { target: `/v1beta/models/m:streamGenerateContent?alt=sse&${QUERY}` },
  ),
};

export const SECRET_PLAYS: Readonly<Record<string, SecretPlay>> = {
  ...OF_CHAT,
  ...OF_BODIES,
  ...ofDialects(),
  ...OF_ERRORS,
};

/** Requests that never become an exchange. */
export const UNREADABLE = [
  `GET /${canary('BadVersion')} HTTP/9.9\r\n\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\nno colon ${canary('BadField')}\r\n\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\nhost: ${canary('TwoHosts')}\r\n\r\n`,
  `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\nx: ${canary('TwoLengths')}\r\n\r\n`,
  `CONNECT ${canary('Connect')}:443 HTTP/1.1\r\nhost: a\r\n\r\n`,
  `GET http://${canary('OtherHost')}/ HTTP/1.1\r\nhost: a\r\n\r\n`,
];

/** Requests to the admin port, of which only the last is answered with what was asked for. */
export const TO_ADMIN = [
  `GET /${canary('AdminPath')} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
  `GET /%E0%A4%A?${canary('AdminQuery')} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
  `GET /api/streams/${canary('AdminId')} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: ${canary('AdminHost')}.example\r\nconnection: close\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: localhost\r\norigin: http://${canary('AdminOrigin')}\r\nconnection: close\r\n\r\n`,
  `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 30\r\n\r\n${canary('AdminBody').padEnd(30)}`,
  `${canary('AdminGarbage')}\r\n\r\n`,
  `GET /metrics?${canary('AdminOk')} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${canary('AdminKey')}\r\nconnection: close\r\n\r\n`,
];
