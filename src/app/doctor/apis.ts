// The streaming requests that the doctor tries, one after the other until the upstream takes one. Each
// is what a plain client sends: nothing in it asks for usage or times, since the question is what comes
// by itself.

export interface Api {
  readonly path: string;
  /** The body for a prompt. */
  body(model: string, prompt: string): object;
}

const OUTPUT_TOKENS = 16;

const messages = (prompt: string): object[] => [{ role: 'user', content: prompt }];

export const APIS: readonly Api[] = [
  {
    path: '/v1/chat/completions',
    body: (model, prompt) => ({ model, messages: messages(prompt), max_tokens: OUTPUT_TOKENS, stream: true }),
  },
  {
    path: '/v1/completions',
    body: (model, prompt) => ({ model, prompt, max_tokens: OUTPUT_TOKENS, stream: true }),
  },
  {
    path: '/v1/messages',
    body: (model, prompt) => ({ model, messages: messages(prompt), max_tokens: OUTPUT_TOKENS, stream: true }),
  },
  {
    path: '/v1/responses',
    body: (model, prompt) => ({ model, input: prompt, max_output_tokens: OUTPUT_TOKENS, stream: true }),
  },
  {
    path: '/api/chat',
    body: (model, prompt) => ({ model, messages: messages(prompt), options: { num_predict: OUTPUT_TOKENS } }),
  },
  {
    path: '/generate_stream',
    body: (_, prompt) => ({ inputs: prompt, parameters: { max_new_tokens: OUTPUT_TOKENS } }),
  },
  {
    path: '/generate',
    body: (_, prompt) => ({ text: prompt, sampling_params: { max_new_tokens: OUTPUT_TOKENS }, stream: true }),
  },
  {
    path: '/completion',
    body: (_, prompt) => ({ prompt, n_predict: OUTPUT_TOKENS, stream: true }),
  },
];

/** The request for a path of the user's own, by how the path ends; chat is the guess for any other. */
export function apiForPath(path: string): Api {
  const bare = path.split('?', 1)[0] ?? path;
  const known = APIS.find((api) => bare.endsWith(api.path.replace(/^\/v1/, ''))) ?? APIS[0];
  if (known === undefined) throw new Error('There is no API to try.');
  return { path, body: known.body };
}
