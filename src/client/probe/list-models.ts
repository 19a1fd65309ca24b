// The first model that an endpoint lists, for who names none. Bounded in time and bytes; undefined when there is
// no such list, or none that we may see.
import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { PROBE_LIST_MAX_BYTES } from '../../base/probe-limits.ts';
import { defined } from '../../measure/defined.ts';
import { asArray, asBoundedText, asObject, parseJson } from '../../stream/json-value.ts';
import type { Ask } from './ask.ts';

const NAME_MAX_CHARS = 256;

export function firstModel(
  question: Pick<Ask, 'url' | 'fields' | 'tls' | 'silenceMaxMs'>,
): Promise<string | undefined> {
  const { url, fields, tls, silenceMaxMs } = question;
  const options: RequestOptions = {
    agent: false,
    // The list is read as it comes, so it may not be compressed.
    headers: { ...fields, 'accept-encoding': 'identity' },
    timeout: silenceMaxMs,
    ...defined({ ca: tls.caPem, rejectUnauthorized: tls.insecure ? false : undefined }),
  };
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > PROBE_LIST_MAX_BYTES) request.destroy();
      });
      response.on('end', () => resolve(response.statusCode === 200 ? firstNameOf(text) : undefined));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
    request.on('close', () => resolve(undefined));
    request.end();
  });
}

function firstNameOf(text: string): string | undefined {
  const body = asObject(parseJson(text));
  const [first] = asArray(body?.['data']) ?? asArray(body?.['models']) ?? [];
  const entry = asObject(first);
  return asBoundedText(entry?.['id'] ?? entry?.['name'], NAME_MAX_CHARS);
}
