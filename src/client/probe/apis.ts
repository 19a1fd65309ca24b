// The requests that a probe can send: which path, which body for how many tokens, and where the key goes. One
// line an API. Knows no wire.

export const API_NAMES = ['chat', 'responses', 'messages', 'completions'] as const;
export type ApiName = (typeof API_NAMES)[number];

export interface Prompt {
  readonly model: string;
  readonly text: string;
  readonly maxTokens: number;
}

/** What an upstream refused, so that the next request goes without it. */
export interface Manners {
  /** Some servers know no `stream_options`. */
  readonly usage: boolean;
  /** Newer models take `max_completion_tokens` in the place of `max_tokens`. */
  readonly completionTokens: boolean;
}

export interface Api {
  readonly name: ApiName;
  readonly path: string;
  body(prompt: Prompt, manners: Manners): object;
  keyFields(key: string): Record<string, string>;
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const usageOf = ({ usage }: Manners): object => (usage ? { stream_options: { include_usage: true } } : {});

export const APIS: readonly Api[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    body: ({ model, text, maxTokens }, manners) => ({
      model,
      messages: [{ role: 'user', content: text }],
      stream: true,
      ...(manners.completionTokens ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
      ...usageOf(manners),
    }),
    keyFields: bearer,
  },
  {
    name: 'responses',
    path: '/v1/responses',
    body: ({ model, text, maxTokens }) => ({ model, input: text, max_output_tokens: maxTokens, stream: true }),
    keyFields: bearer,
  },
  {
    name: 'messages',
    path: '/v1/messages',
    body: ({ model, text, maxTokens }) => ({
      model,
      messages: [{ role: 'user', content: text }],
      max_tokens: maxTokens,
      stream: true,
    }),
    // Gateways in front of such engines often want the one where the API itself wants the other.
    keyFields: (key) => ({ 'x-api-key': key, ...bearer(key) }),
  },
  {
    name: 'completions',
    path: '/v1/completions',
    body: ({ model, text, maxTokens }, manners) => ({
      model,
      prompt: text,
      max_tokens: maxTokens,
      stream: true,
      ...usageOf(manners),
    }),
    keyFields: bearer,
  },
];

/** Fields that an API wants besides. */
export function ownFields(name: ApiName): Record<string, string> {
  return name === 'messages' ? { 'anthropic-version': '2023-06-01' } : {};
}

export interface Target {
  readonly url: URL;
  readonly api: Api;
  /** Where the list of models is asked for. */
  readonly modelsUrl: URL;
}

/**
 * The request's URL: a path that ends as an API's does is taken as it is, any other is a base and gets the API's
 * own. Bases end in `/v1` or not, as people are used to from their clients.
 */
export function targetOf(given: URL, wanted: ApiName | undefined): Target {
  const path = given.pathname.replace(/\/+$/, '');
  // `/chat/completions` ends like `/completions` as well; the longer one stands first in the table.
  const full = APIS.find(({ name, path: known }) => (wanted ?? name) === name && path.endsWith(tailOf(known)));
  const api = full ?? APIS.find(({ name }) => name === wanted) ?? (APIS[0] as Api);
  const base = full === undefined ? path : path.slice(0, -tailOf(api.path).length);
  const versioned = /\/v\d+[a-z0-9]*$/.test(base) || (full !== undefined && base !== '') ? base : `${base}/v1`;
  const url = new URL(given);
  url.pathname = full === undefined ? `${versioned}${tailOf(api.path)}` : path;
  const modelsUrl = new URL(given);
  modelsUrl.pathname = `${versioned}/models`;
  return { url, api, modelsUrl };
}

/** An API's path without its version, which gateways have of their own. */
function tailOf(path: string): string {
  return path.replace(/^\/v1/, '');
}
