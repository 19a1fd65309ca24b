// Bodies of other dialects, brought to OpenAI's words: one function a dialect. Knows what a client
// sends, not what is answered. A field that is missing or of the wrong kind is left to the reader of
// OpenAI's body, which names the fault.
import { isObject, readTranslated, type JsonObject, type RequestReading, type Translation } from './request.ts';

type Translator = (body: JsonObject, url: URL) => Translation;

/** A reader of requests for a route. */
function reader(translate: Translator): (text: string, url: URL) => RequestReading {
  return (text, url) => readTranslated(text, (body) => translate(body, url));
}

function inner(body: JsonObject, name: string): JsonObject {
  const value = body[name];
  return isObject(value) ? value : {};
}

/** What every dialect here takes beside its own fields, so that a test can settle an answer's length. */
function common(body: JsonObject): JsonObject {
  const { model, ignore_eos: ignoreEos, min_tokens: minTokens, seed } = body;
  return { model, ignore_eos: ignoreEos, min_tokens: minTokens, seed, stream: body['stream'] === true };
}

/** Anthropic's and Gemini's thinking is on or off; this engine then thinks for half of the answer. */
function effort(thinks: boolean): JsonObject {
  return thinks ? { reasoning_effort: 'medium' } : {};
}

function namedTool(name: unknown): JsonObject {
  return typeof name === 'string' ? { tool_choice: { type: 'function', function: { name } } } : {};
}

/** Text of parts as all but OpenAI write them: the part's `text`, whatever the part's type. */
function partsText(parts: unknown): string {
  if (typeof parts === 'string') return parts;
  if (!Array.isArray(parts)) return '';
  return parts.flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : [])).join('\n');
}

function messagesOf(list: unknown, partsField: string): unknown {
  if (!Array.isArray(list)) return undefined;
  return list.map((one) => (isObject(one) ? { content: partsText(one[partsField]) } : one));
}

/** A system prompt is one message more at the front. */
function withSystem(system: unknown, messages: unknown): unknown {
  const content = partsText(system);
  return content === '' || !Array.isArray(messages) ? messages : [{ role: 'system', content }, ...messages];
}

/** OpenAI Responses: `input` is a text or a list of messages. */
export const readResponses = reader((body) => {
  const { input } = body;
  const messages = typeof input === 'string' ? [{ content: input }] : messagesOf(input, 'content');
  const fields = {
    ...common(body),
    messages: withSystem(body['instructions'], messages),
    max_tokens: body['max_output_tokens'],
    reasoning_effort: inner(body, 'reasoning')['effort'],
    ...namedTool(inner(body, 'tool_choice')['name']),
  };
  return { api: 'chat', fields };
});

function anthropicFields(body: JsonObject): JsonObject {
  return {
    ...common(body),
    messages: withSystem(body['system'], messagesOf(body['messages'], 'content')),
    max_tokens: body['max_tokens'],
    ...effort(inner(body, 'thinking')['type'] === 'enabled'),
    ...namedTool(inner(body, 'tool_choice')['name']),
  };
}

export const readAnthropic = reader((body) => ({ api: 'chat', fields: anthropicFields(body) }));

/** Gemini names the model in the path and asks for a stream by it. */
export const readGemini = reader((body, url) => {
  const config = inner(body, 'generationConfig');
  const fields = {
    ...common(body),
    model: modelInPath(url),
    stream: url.pathname.endsWith(':streamGenerateContent'),
    messages: withSystem(inner(body, 'systemInstruction')['parts'], messagesOf(body['contents'], 'parts')),
    max_tokens: config['maxOutputTokens'],
    seed: config['seed'],
    ...effort(inner(config, 'thinkingConfig')['includeThoughts'] === true),
  };
  return { api: 'chat', fields };
});

/** Cohere v2: OpenAI's messages, and `max_tokens`. */
export const readCohere = reader((body) => ({ api: 'chat', fields: { ...body } }));

/** Ollama streams unless told not to. */
function ollamaFields(body: JsonObject): JsonObject {
  const options = inner(body, 'options');
  return {
    ...common(body),
    stream: body['stream'] !== false,
    max_tokens: options['num_predict'],
    seed: options['seed'],
    ...effort(body['think'] === true),
  };
}

export const readOllamaChat = reader((body) => {
  return { api: 'chat', fields: { ...ollamaFields(body), messages: body['messages'] } };
});

export const readOllamaGenerate = reader((body) => {
  // As a chat with one message, since this route thinks too.
  const messages = withSystem(body['system'], [{ content: body['prompt'] }]);
  return { api: 'chat', fields: { ...ollamaFields(body), messages } };
});

/** llama.cpp's own route has one model and need not name it. */
export const readLlamaCompletion = reader((body) => {
  const fields = { ...common(body), model: body['model'] ?? '', prompt: body['prompt'], max_tokens: body['n_predict'] };
  return { api: 'completions', fields };
});

/** TGI: `/generate_stream` streams by its path, `/` by the body. */
export const readTgi = reader((body, url) => {
  const parameters = inner(body, 'parameters');
  const fields = {
    ...common(body),
    model: '',
    stream: url.pathname === '/generate_stream' || body['stream'] === true,
    prompt: body['inputs'],
    max_tokens: parameters['max_new_tokens'],
    seed: parameters['seed'],
  };
  return { api: 'completions', fields };
});

/** SGLang's own route takes text or token ids. */
export const readSglangGenerate = reader((body) => {
  const sampling = inner(body, 'sampling_params');
  const fields = {
    ...common(body),
    model: '',
    prompt: body['text'] ?? body['input_ids'],
    max_tokens: sampling['max_new_tokens'],
    min_tokens: sampling['min_new_tokens'],
    ignore_eos: sampling['ignore_eos'],
  };
  return { api: 'completions', fields };
});

/** Triton's generate extension: inputs of the model at the top, or under `parameters`. */
export const readTriton = reader((body, url) => {
  const fields = {
    ...common(body),
    model: modelInPath(url),
    stream: url.pathname.endsWith('/generate_stream'),
    prompt: body['text_input'],
    max_tokens: body['max_tokens'] ?? inner(body, 'parameters')['max_tokens'],
  };
  return { api: 'completions', fields };
});

export const readBedrockConverse = reader((body, url) => {
  const fields = {
    ...common(body),
    model: modelInPath(url),
    stream: url.pathname.endsWith('-stream'),
    messages: withSystem(body['system'], messagesOf(body['messages'], 'content')),
    max_tokens: inner(body, 'inferenceConfig')['maxTokens'],
  };
  return { api: 'chat', fields };
});

/** Bedrock's other route carries the body of the model's maker; here Anthropic's. */
export const readBedrockInvoke = reader((body, url) => {
  const stream = url.pathname.endsWith('-with-response-stream');
  return { api: 'chat', fields: { ...anthropicFields(body), model: modelInPath(url), stream } };
});

/** Azure names a deployment in the path and takes OpenAI's body. */
export const readAzureChat = reader((body, url) => {
  return { api: 'chat', fields: { ...body, model: modelInPath(url) } };
});

/** The model of `/…/models/NAME:verb`, `/model/NAME/verb`, `/v2/models/NAME/…` or `/…/deployments/NAME/…`. */
function modelInPath(url: URL): string {
  const name = /\/(?:models?|deployments)\/([^/:]+(?::\d+)?)/.exec(url.pathname)?.[1] ?? '';
  return decodeURIComponent(name);
}
