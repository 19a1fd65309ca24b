// What is wrong with an answer that is an error or no stream, in words that say what to do. Nothing of the body is
// shown but the message of an error object, bounded and without the key.
import type { Asked } from './ask.ts';
import { asObject, isNonEmptyText, parseJson } from '../../stream/json-value.ts';
import type { Trouble } from './result.ts';

const MESSAGE_MAX_CHARS = 300;

/** Undefined when generated text came as a stream. */
export function troubleOf(asked: Asked, secrets: readonly string[]): Trouble | undefined {
  const { record, errorCode } = asked;
  const { status, mediaType } = record.response;
  const { wire } = record.end;
  if (status === undefined) return noHead(wire, errorCode);
  if (status < 200 || status > 299) return refused(status, messageOf(asked, secrets));
  if (record.answer.unreadable !== undefined && record.answer.unreadable !== 'media_type') {
    return {
      says: `The body could not be read: ${record.answer.unreadable}.`,
      cure: 'Ask without that content coding: --header "accept-encoding: identity".',
    };
  }
  if (!record.answer.streamed) {
    return {
      says: `The answer is ${mediaType ?? 'of no stated type'}, no stream, though a stream was asked for.`,
      cure: 'Check that the URL is that of a streaming API, that --api fits it, and that no gateway turns "stream" off.',
    };
  }
  if (record.answer.errorType !== undefined) {
    return {
      says: `The stream carries an error: ${record.answer.errorType}${saying(messageOf(asked, secrets))}.`,
      cure: 'The engine failed: look into its log.',
    };
  }
  if (!record.events.generated.some((channels) => channels !== 0)) {
    return { says: 'A stream came, and no generated text in it.', cure: 'Check --api, --prompt and --max-tokens.' };
  }
  return cutShort(wire, errorCode);
}

function cutShort(wire: string, code: string | undefined): Trouble | undefined {
  if (wire === 'complete' || wire === 'client_abort') return undefined;
  if (wire === 'timeout_idle')
    return {
      says: 'The stream fell silent before its end.',
      cure: 'Wait longer with --timeout, or look for a time limit on the way.',
    };
  return {
    says: `The stream was cut before its end (${code ?? wire}).`,
    cure: 'Look for a time limit or a restart on the way.',
  };
}

function noHead(wire: string, code: string | undefined): Trouble {
  if (wire === 'client_abort') return { says: 'Stopped before anything came.', cure: 'Nothing to do.' };
  if (wire === 'timeout_head') {
    return {
      says: 'No response head came in time.',
      cure: 'Wait longer with --timeout; an engine may be loading, or a hop may hold the head.',
    };
  }
  if (wire === 'timeout_connect')
    return { says: 'No connection came about in time.', cure: 'Check host, port and firewalls.' };
  return {
    says: `No answer came (${code ?? wire}).`,
    cure: CURES[code ?? ''] ?? certificateCure(code) ?? 'Check that the server runs and that the URL is right.',
  };
}

const CURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there: check host and port, and that the server runs.',
  ENOTFOUND: 'There is no such host name: check the URL.',
  EAI_AGAIN: 'The name could not be looked up: check the network and its name server.',
  ETIMEDOUT: 'Nothing answers there: check host, port and firewalls.',
  EPROTO: 'That port speaks no TLS: try http:// in place of https://.',
  ECONNRESET: 'The other side closed the connection: check http:// against https://, and its log.',
  HPE_INVALID_CONSTANT: 'What answers there is not HTTP: check the port.',
};

function certificateCure(code: string | undefined): string | undefined {
  if (code === undefined || !/CERT|SELF_SIGNED|ALTNAME|ISSUER/.test(code)) return undefined;
  return 'The certificate could not be verified: name its authority with --ca FILE, or use --insecure for a test.';
}

function refused(status: number, message: string | undefined): Trouble {
  const says = `The answer is an error: status ${status}${saying(message)}.`;
  if (status === 401 || status === 403)
    return { says, cure: 'Name the variable that holds the API key: --key-env NAME.' };
  if (status === 404 || status === 405) return { says, cure: 'Check the URL, --api and --model.' };
  if (status === 429)
    return { says, cure: 'The limit of requests was reached: wait, or lower --count and --concurrency.' };
  if (status >= 300 && status < 400) return { says, cure: 'This URL leads elsewhere; probe the place that it names.' };
  if (status < 500) return { says, cure: 'The request was refused: check --api, --model and --max-tokens.' };
  return { says, cure: 'Something on the way or the engine failed: look into its log.' };
}

function saying(message: string | undefined): string {
  return message === undefined ? '' : `, "${message}"`;
}

/** The message of an error object, as every API has one somewhere. */
function messageOf({ bodyStart }: Asked, secrets: readonly string[]): string | undefined {
  const [, inStream] = /^data: ?(\{.*"error".*\})$/m.exec(bodyStart) ?? [];
  const body = asObject(parseJson(inStream ?? bodyStart));
  const error = body?.['error'];
  const message = asObject(error)?.['message'] ?? body?.['message'] ?? body?.['detail'] ?? error;
  if (!isNonEmptyText(message)) return undefined;
  let shown = message;
  for (const secret of secrets) if (secret !== '') shown = shown.replaceAll(secret, '***');
  const oneLine = shown.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return oneLine.length > MESSAGE_MAX_CHARS ? `${oneLine.slice(0, MESSAGE_MAX_CHARS)}…` : oneLine;
}
