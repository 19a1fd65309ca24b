// Events that engines send again and again with another text, and what could make them say something else besides:
// for tests of events that are known by their bytes (src/stream/like-event.ts).

/** Stands where the text comes, between its quotes. */
export const TEXT = '§';

export interface LikeWords {
  readonly path: string;
  /** Messages that come one after the other, in any order. */
  readonly words: readonly object[];
  /** This dialect has events that are known by their bytes. */
  readonly known: boolean;
}

const chat = (choice: object, more: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'm',
  choices: [{ index: 0, ...choice, finish_reason: null }],
  ...more,
});
const delta = (fields: object, more: object = {}): object => chat({ delta: fields, logprobs: null }, more);
const completion = (choice: object, more: object = {}): object => ({
  id: 'cmpl-1',
  object: 'text_completion',
  choices: [{ index: 0, ...choice, finish_reason: null }],
  ...more,
});
const block = (fields: object): object => ({ type: 'content_block_delta', index: 0, delta: fields });
const candidate = (part: object, more: object = {}): object => ({
  candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }],
  ...more,
});

export const LIKE_WORDS: readonly LikeWords[] = [
  {
    path: '/v1/chat/completions',
    known: true,
    words: [
      delta({ content: TEXT }),
      delta({ content: TEXT }),
      delta({ content: TEXT }, { id: 'chatcmpl-2', created: 1_760_000_001 }),
      delta({ role: 'assistant', content: TEXT }),
      delta({ content: null, reasoning_content: TEXT }),
      delta({ reasoning: TEXT, reasoning_content: TEXT }),
      delta({ reasoning: TEXT, reasoning_content: 'a' }),
      delta({ content: '', refusal: TEXT }),
      delta({ content: [{ type: 'text', text: TEXT }] }),
      delta({ content: [{ type: 'text', text: TEXT }, 'b'] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: TEXT } }] }),
      delta({ tool_calls: [{ index: 0, id: 'c', function: { name: TEXT, arguments: '' } }] }),
      delta({ audio: { data: 'AA==', transcript: TEXT } }),
      delta({ content: TEXT, tool_calls: [{ function: { name: 'f' } }] }),
      delta({ content: TEXT }, { usage: { prompt_tokens: 9 } }),
      delta({ content: TEXT }, { usage: { prompt_tokens: 9, completion_tokens: 3 } }),
      delta({ content: TEXT }, { timings: { predicted_n: 2, prompt_n: 4, prompt_ms: 7.5 } }),
      delta({ content: TEXT }, { provider: TEXT, system_fingerprint: 'b100-abc' }),
      delta({ content: TEXT }, { content: TEXT }),
      delta({ text: TEXT }),
      chat({ delta: { content: TEXT }, logprobs: { content: [{ token: 'a', logprob: -1 }] } }),
      chat({ delta: { content: TEXT }, logprobs: { content: [] } }),
      chat({ delta: { content: TEXT }, token_ids: [7] }),
      chat({ delta: { content: TEXT }, index: 1 }),
      chat({ delta: { content: TEXT }, index: 500 }),
      chat({ message: { content: TEXT } }),
      { choices: [{ index: 0, delta: { content: TEXT }, finish_reason: 'stop' }] },
      { choices: [{ index: 0, delta: {}, finish_reason: TEXT }] },
      {
        choices: [
          { index: 0, delta: { content: TEXT } },
          { index: 1, delta: { content: 'b' } },
        ],
      },
      {
        choices: [
          { index: 0, delta: { content: TEXT } },
          { index: 1, delta: {} },
        ],
      },
      { choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } },
    ],
  },
  {
    path: '/v1/completions',
    known: true,
    words: [
      completion({ text: TEXT, logprobs: null }),
      completion({ text: TEXT }),
      completion({ text: TEXT, index: 1 }),
      completion({ text: TEXT, logprobs: { tokens: ['a'] } }),
      completion({ text: TEXT }, { usage: { prompt_tokens: 9, completion_tokens: 3 } }),
      completion({ text: TEXT }, { model: TEXT }),
    ],
  },
  {
    path: '/v1/messages',
    known: true,
    words: [
      { type: 'message_start', message: { id: 'msg_1', model: 'm', usage: { input_tokens: 9, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: TEXT } },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', name: TEXT, input: {} } },
      block({ type: 'text_delta', text: TEXT }),
      block({ type: 'text_delta', text: TEXT }),
      block({ type: 'thinking_delta', thinking: TEXT }),
      block({ type: 'thinking_delta', thinking: TEXT, text: 'a' }),
      block({ type: 'input_json_delta', partial_json: TEXT }),
      block({ type: 'signature_delta', signature: TEXT }),
      block({ type: 'compaction_delta', content: TEXT }),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ],
  },
  {
    path: '/v1/responses',
    known: true,
    words: [
      { type: 'response.created', response: { id: 'resp_1', model: 'm', status: 'in_progress' } },
      { type: 'response.output_text.delta', item_id: 'msg_1', delta: TEXT },
      { type: 'response.output_text.delta', item_id: 'msg_1', delta: TEXT },
      { type: 'response.output_text.delta', item_id: 'msg_1', delta: TEXT, logprobs: [] },
      { type: 'response.output_text.delta', item_id: 'msg_1', delta: TEXT, logprobs: [{ token: 'a', logprob: -1 }] },
      { type: 'response.output_text.delta', item_id: 'msg_1', delta: TEXT, timings: { predicted_n: 4 } },
      { type: 'response.output_text.done', text: TEXT },
      { type: 'response.reasoning_text.delta', delta: TEXT },
      { type: 'response.function_call_arguments.delta', delta: TEXT },
      { type: 'response.function_call_arguments.done', arguments: TEXT },
      { type: 'response.output_item.added', item: { type: 'function_call', name: 'f', arguments: TEXT } },
      { type: 'response.audio.delta', delta: TEXT },
      { type: 'response.audio.transcript.delta', delta: TEXT },
      { type: 'response.local_shell_call_output.delta', delta: TEXT },
      { type: 'response.completed', response: { id: 'resp_1', status: 'completed', usage: { output_tokens: 4 } } },
    ],
  },
  {
    path: '/v2/chat',
    known: true,
    words: [
      { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: TEXT } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: TEXT } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: TEXT } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { thinking: TEXT } } } },
      { type: 'content-delta', delta: { message: { content: { text: TEXT } } }, logprobs: { token_ids: [1] } },
      { type: 'tool-plan-delta', delta: { message: { tool_plan: TEXT } } },
      { type: 'tool-call-delta', delta: { message: { tool_calls: { function: { arguments: TEXT } } } } },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: { tokens: { output_tokens: 4 } } } },
    ],
  },
  {
    path: '/v2/models/m/generate_stream',
    known: true,
    words: [
      { model_name: 'm', model_version: '1', text_output: TEXT },
      { model_name: 'm', model_version: '1', text_output: TEXT },
      { model_name: 'm', model_version: '1', text_output: [TEXT] },
      { model_name: 'm', model_version: '1', text_output: TEXT, num_output_tokens: 1 },
      { model_name: 'm', model_version: '1', text_output: TEXT, finish_reason: 'stop' },
      { model_name: 'm', system_fingerprint: TEXT },
    ],
  },
  {
    path: '/generate',
    known: false,
    words: [
      { text: TEXT, meta_info: { id: 'r', finish_reason: null } },
      { text: TEXT, meta_info: { finish_reason: null } },
      { text: TEXT, meta_info: { id: 'r', completion_tokens: 3 } },
    ],
  },
  {
    path: '/v1beta/models/m:streamGenerateContent',
    known: false,
    words: [
      candidate({ text: TEXT }),
      candidate({ text: TEXT, thought: true }),
      candidate({ functionCall: { name: TEXT } }),
    ],
  },
  {
    path: '/generate_stream',
    known: false,
    words: [
      { index: 1, token: { id: 7, text: TEXT, logprob: -1, special: false }, generated_text: null },
      { token: { text: TEXT, special: true }, generated_text: null },
      { token: { text: 'a' }, generated_text: TEXT },
    ],
  },
  {
    path: '/completion',
    known: false,
    words: [
      { index: 0, content: TEXT, stop: false, tokens: [1] },
      { index: 0, content: TEXT, stop: false },
    ],
  },
  {
    path: '/model/m/invoke-with-response-stream',
    known: false,
    words: [{ generation: TEXT }, { outputs: [{ text: TEXT }] }, { generation: TEXT, generation_token_count: 3 }],
  },
];
