// How the APIs whose events name their type word an answer, and those that come in frames or in a list;
// for the same wire tests as dialect-forms.ts.
import { chunkFrame, eventFrame, exceptionFrame } from './aws-frames.ts';
import type { Form } from './dialect-forms.ts';
import { DONE, HEAD, head } from './script.ts';

/** An SSE event that names its type twice, as these APIs do. */
const typed = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const FRAMES_HEAD = head(
  '200 OK',
  'content-type: application/vnd.amazon.eventstream',
  'transfer-encoding: chunked',
  'x-amzn-requestid: 7d5c',
);
const LIST_HEAD = head('200 OK', 'content-type: application/json; charset=UTF-8', 'transfer-encoding: chunked');

const claude = (type: string, fields: object = {}): string => JSON.stringify({ type, ...fields });
const frameOf = (type: string, body: object): Buffer => eventFrame(type, JSON.stringify({ ...body, p: 'abcd' }));

/** One response of Gemini, with its running count. */
const candidate = (parts: readonly object[], count?: number, more: object = {}): string =>
  JSON.stringify({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
    ...(count === undefined ? {} : { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: count } }),
    modelVersion: 'm',
  });
const geminiError = JSON.stringify({ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }, null, 2);

const STARTED = {
  message: { id: 'msg_1', role: 'assistant', model: 'm', usage: { input_tokens: 9, output_tokens: 1 } },
};
const OPENED = { index: 0, content_block: { type: 'text', text: '' } };
const said = (text: string) => ({ index: 0, delta: { type: 'text_delta', text } });
const stopped = (count: number) => ({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: count } });

export const TYPED_FORMS: readonly Form<string | Buffer>[] = [
  {
    dialect: 'openai-responses',
    target: '/v1/responses',
    head: HEAD,
    openings: [
      typed('response.created', { response: { id: 'r', model: 'm', status: 'in_progress' } }),
      typed('response.in_progress', { response: { id: 'r', status: 'in_progress' } }),
      typed('keepalive', { sequence_number: 3 }),
      typed('response.output_item.added', { output_index: 0, item: { type: 'message', content: [] } }),
    ],
    token: (text) => typed('response.output_text.delta', { delta: text, obfuscation: 'x7Kd' }),
    end: (count) =>
      typed('response.completed', {
        response: { id: 'r', status: 'completed', usage: { input_tokens: 9, output_tokens: count } },
      }),
    error: typed('error', { code: 'server_error', message: 'no', param: null }),
    unended: 'incomplete',
    counted: false,
  },
  {
    dialect: 'anthropic-messages',
    target: '/v1/messages',
    head: HEAD,
    openings: [typed('message_start', STARTED), typed('content_block_start', OPENED), typed('ping')],
    token: (text) => typed('content_block_delta', said(text)),
    end: (count) =>
      typed('content_block_stop', { index: 0 }) + typed('message_delta', stopped(count)) + typed('message_stop'),
    error: typed('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
    unended: 'incomplete',
    counted: false,
  },
  {
    dialect: 'gemini',
    target: '/v1beta/models/{model}:streamGenerateContent?alt=sse',
    head: HEAD,
    openings: [`data: ${candidate([{ text: '' }])}\r\n\r\n`],
    token: (text, count) => `data: ${candidate([{ text }], count)}\r\n\r\n`,
    end: (count) => `data: ${candidate([], count, { finishReason: 'STOP' })}\r\n\r\n`,
    // Without any field around it.
    error: `${geminiError}\r\n\r\n`,
    unended: 'incomplete',
    counted: true,
  },
  {
    dialect: 'gemini',
    target: '/v1beta/models/{model}:streamGenerateContent',
    head: LIST_HEAD,
    openings: ['['],
    token: (text, count) => `\n,\r\n${candidate([{ text }], count)}`,
    end: (count) => `\n,\r\n${candidate([], count, { finishReason: 'STOP' })}\n]`,
    error: `\n,\r\n${geminiError}`,
    unended: 'incomplete',
    counted: true,
  },
  {
    dialect: 'cohere-chat',
    target: '/v2/chat',
    head: HEAD,
    openings: [
      typed('message-start', { id: 'c', delta: { message: { role: 'assistant', content: [] } } }),
      typed('content-start', { index: 0, delta: { message: { content: { type: 'text', text: '' } } } }),
    ],
    token: (text) => typed('content-delta', { index: 0, delta: { message: { content: { text } } } }),
    end: (count) =>
      typed('message-end', {
        delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 9, output_tokens: count } } },
      }) + DONE,
    error: typed('message-end', { delta: { finish_reason: 'ERROR', error: 'no' } }),
    unended: 'incomplete',
    counted: false,
  },
  {
    dialect: 'bedrock-converse',
    target: '/model/{model}/converse-stream',
    head: FRAMES_HEAD,
    openings: [frameOf('messageStart', { role: 'assistant' })],
    token: (text) => frameOf('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
    end: (count) =>
      Buffer.concat([
        frameOf('messageStop', { stopReason: 'end_turn' }),
        frameOf('metadata', { usage: { inputTokens: 9, outputTokens: count }, metrics: { latencyMs: 300 } }),
      ]),
    error: exceptionFrame('throttlingException', 'Too many tokens'),
    unended: 'incomplete',
    counted: false,
  },
  {
    dialect: 'anthropic-messages',
    target: '/model/{model}/invoke-with-response-stream',
    head: FRAMES_HEAD,
    openings: [chunkFrame(claude('message_start', STARTED)), chunkFrame(claude('content_block_start', OPENED))],
    token: (text) => chunkFrame(claude('content_block_delta', said(text))),
    end: (count) =>
      Buffer.concat([chunkFrame(claude('message_delta', stopped(count))), chunkFrame(claude('message_stop'))]),
    error: exceptionFrame('modelStreamErrorException', 'no'),
    unended: 'incomplete',
    counted: false,
  },
];
