// The streaming requests that the doctor tries, one after the other until the upstream takes one. Each
// is what a plain client sends: nothing in it asks for usage or times, since the question is what comes
// by itself.

import type { RouteConfig } from '../../config/config.ts';

export interface Api {
  readonly path: string;
  /** The body for a prompt. */
  body(model: string, prompt: string): object;
}

const OUTPUT_TOKENS = 16;

const messages = (prompt: string): object[] => [{ role: 'user', content: prompt }];

const APIS: readonly Api[] = [
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

/**
 * The requests to try. Where every route asks for a prefix, a path without it reaches nobody, so each API is
 * looked for below the prefixes as well.
 */
export function apisFor(routes: readonly Pick<RouteConfig, 'prefix' | 'host'>[]): readonly Api[] {
  const takesAll = routes.some(({ prefix, host }) => prefix === undefined && host === undefined);
  if (takesAll) return APIS;
  const prefixes = routes.flatMap(({ prefix }) => prefix?.replace(/\/$/, '') ?? []);
  const below = prefixes.flatMap((prefix) =>
    APIS.filter(({ path }) => !path.startsWith(`${prefix}/`)).map(({ path, body }) => ({
      path: joined(prefix, path),
      body,
    })),
  );
  return [...APIS, ...below];
}

/** A prefix often ends with what an API's path begins with: `/openai/v1` and `/v1/chat/completions`. */
function joined(prefix: string, path: string): string {
  const [, first = ''] = path.split('/');
  return prefix.endsWith(`/${first}`) ? `${prefix}${path.slice(first.length + 1)}` : `${prefix}${path}`;
}

/** The request for a path of the user's own, by how the path ends; chat is the guess for any other. */
export function apiForPath(path: string): Api {
  const bare = path.split('?', 1)[0] ?? path;
  const known = APIS.find((api) => bare.endsWith(api.path.replace(/^\/v1/, ''))) ?? APIS[0];
  if (known === undefined) throw new Error('There is no API to try.');
  return { path, body: known.body };
}
