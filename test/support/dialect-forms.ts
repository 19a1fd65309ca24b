// How each engine words an answer in its own dialect, for wire tests that ask the same of all of them.
// Only what the cases need: an opening, a token, an end, an error.
import { delta, DONE, event, FINISH, HEAD, head } from './script.ts';

export const NDJSON_HEAD = head('200 OK', 'content-type: application/x-ndjson', 'transfer-encoding: chunked');
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** How one engine words an answer. Counts are running ones: tokens with this event and all before it. */
export interface Form<Words extends string | Buffer = string> {
  readonly dialect: string;
  /** `{model}` stands for the name by which a test finds its record. */
  readonly target: string;
  readonly head: string;
  /** What comes before the first token and is none. */
  readonly openings: readonly Words[];
  readonly token: (text: string, count: number) => Words;
  /** What ends the stream well. */
  readonly end: (count: number) => Words;
  readonly error: Words;
  /** Outcome of a body that ends cleanly without its end. */
  readonly unended: 'incomplete' | 'ok';
  /** Tokens are counted by their events. */
  readonly counted: boolean;
}

export const ollamaLine = (message: unknown, more: object = {}): string =>
  line({ model: 'm', created_at: '2026-11-20T10:00:00Z', message, done: false, ...more });
export const llamacpp = (content: string, count: number, more: object = {}): string =>
  event({ index: 0, content, tokens: [], stop: false, tokens_predicted: count, tokens_evaluated: 9, ...more });
export const tgi = (text: string, more: object = {}, special = false): string =>
  event({ index: 1, token: { id: 7, text, logprob: -1, special }, generated_text: null, details: null, ...more });
export const sglang = (text: string, count: number, finish: unknown = null): string =>
  event({
    text,
    output_ids: [],
    meta_info: { id: 'r', finish_reason: finish, prompt_tokens: 9, completion_tokens: count },
  });
const triton = (more: object): string => event({ model_name: 'm', model_version: '1', ...more });
const openai = { target: '/v1/chat/completions', head: HEAD, unended: 'incomplete', counted: true } as const;

/** Text so far, as SGLang repeats it: every token is one letter. */
const soFar = (count: number): string => 'abcdefghij'.slice(0, count);

export const FORMS: readonly Form[] = [
  {
    dialect: 'ollama',
    target: '/api/chat',
    head: NDJSON_HEAD,
    openings: [ollamaLine({ role: 'assistant', content: '' }), '\n'],
    token: (text) => ollamaLine({ role: 'assistant', content: text }, { logprobs: [{ token: text, logprob: -1 }] }),
    end: (count) =>
      ollamaLine({ role: 'assistant', content: '' }, { done: true, done_reason: 'stop', eval_count: count }),
    error: line({ error: 'model runner has unexpectedly stopped' }),
    unended: 'incomplete',
    counted: true,
  },
  {
    dialect: 'ollama',
    target: '/api/generate',
    head: NDJSON_HEAD,
    openings: [line({ model: 'm', response: '', done: false })],
    token: (text) => line({ model: 'm', response: text, done: false }),
    end: (count) => line({ model: 'm', response: '', done: true, done_reason: 'length', eval_count: count }),
    error: line({ error: 'out of memory' }),
    unended: 'incomplete',
    counted: false,
  },
  {
    dialect: 'llamacpp-completion',
    target: '/completion',
    head: HEAD,
    openings: [':\n\n', llamacpp('', 0, { prompt_progress: { total: 9, cache: 0, processed: 9, time_ms: 20 } })],
    token: (text, count) => llamacpp(text, count),
    end: (count) => llamacpp('', count, { stop: true, stop_type: 'eos', timings: { cache_n: 0, predicted_n: count } }),
    error: event({ error: { code: 500, message: 'Compute error.', type: 'server_error' } }),
    unended: 'incomplete',
    counted: true,
  },
  {
    dialect: 'tgi-generate',
    target: '/generate_stream',
    head: HEAD,
    openings: [':\n\n'],
    token: (text) => tgi(text),
    end: () => tgi('</s>', { generated_text: 'x' }, true),
    error: event({ error: 'Request failed during generation', error_type: 'generation' }),
    unended: 'incomplete',
    counted: true,
  },
  {
    dialect: 'sglang-generate',
    target: '/generate',
    head: HEAD,
    openings: [sglang('', 0)],
    token: (_, count) => sglang(soFar(count), count),
    end: (count) => sglang(soFar(count), count, { type: 'length', length: count }) + DONE,
    error: event({ error: { message: 'aborted', type: 'AbortError', code: 499 } }) + DONE,
    unended: 'incomplete',
    counted: true,
  },
  {
    dialect: 'triton-generate',
    target: '/v2/models/{model}/generate_stream',
    head: HEAD,
    openings: [triton({ text_output: '' })],
    token: (text) => triton({ text_output: text, num_output_tokens: 1 }),
    end: () => triton({ text_output: '' }),
    error: event({ error: 'backend gone' }),
    unended: 'ok',
    counted: true,
  },
  {
    dialect: 'vllm-generate',
    target: '/inference/v1/generate',
    head: HEAD,
    openings: [event({ request_id: 'g', choices: [{ index: 0, token_ids: [] }] })],
    token: () => event({ request_id: 'g', choices: [{ index: 0, token_ids: [5] }] }),
    end: () => event({ request_id: 'g', choices: [{ index: 0, token_ids: [], finish_reason: 'stop' }] }) + DONE,
    error: event({ error: { message: 'dead', type: 'InternalServerError', code: 500 } }) + DONE,
    unended: 'incomplete',
    counted: true,
  },
  {
    // NVIDIA Dynamo: annotations come as named events, an error is one without data, and [DONE] follows it.
    dialect: 'openai-chat',
    ...openai,
    openings: [
      'event: formatted_prompt\n: "hi"\n\n',
      'event: token_ids\ndata: [1,2]\n\n',
      delta({ role: 'assistant' }),
    ],
    token: (text, count) => delta({ content: text }, { usage: { prompt_tokens: 2, completion_tokens: count } }),
    end: () => FINISH + DONE,
    error: `event: error\n: worker disconnected\n\n${DONE}`,
  },
];
