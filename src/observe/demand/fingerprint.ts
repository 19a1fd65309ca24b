// By what two requests are known to ask for the same: keyed 64-bit hashes of an idempotency key, or of method,
// target and the whole body, each together with the credentials, for another client's request is another one. The
// key is made anew with each process and goes nowhere, so a hash tells nothing of what it was made of.
import { createHash, type Hash, randomBytes } from 'node:crypto';
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../base/demand-limits.ts';
import { fieldValue } from '../../base/fields.ts';
import type { OpenEntry } from '../../tape/entries.ts';

const SECRET = randomBytes(32);
const HASH_HEX_CHARS = 16;

/** Where clients put what says who they are. */
const CREDENTIALS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
/** The field of the IETF draft (and of Stripe), and the older name of it. */
const KEY_FIELDS = ['idempotency-key', 'x-idempotency-key'];

type Asked = Pick<OpenEntry, 'routeIndex' | 'method' | 'target' | 'fields'>;

/** Hash of the idempotency key; undefined when there is none. */
export function keyPrint(asked: Asked): string | undefined {
  const names = KEY_FIELDS.map((name) => fieldValue(asked.fields, name)?.trim());
  const key = names.find((value) => value !== undefined && value !== '');
  if (key === undefined || key.length > IDEMPOTENCY_KEY_MAX_CHARS) return undefined;
  return finish(begin('key', asked).update(key));
}

/** Hash of a body that is known whole, in its pieces; undefined without one, for such requests are too much alike. */
export function bodyPrint(asked: Asked, pieces: readonly Uint8Array[] | undefined): string | undefined {
  if (pieces === undefined || pieces.every(({ length }) => length === 0)) return undefined;
  const hash = begin('body', asked);
  for (const piece of pieces) hash.update(piece);
  return finish(hash);
}

/** The parts are divided by what none of them can hold, so that no two requests give the same text. */
function begin(of: string, { routeIndex, method, target, fields }: Asked): Hash {
  const who = CREDENTIALS.map((name) => fieldValue(fields, name) ?? '');
  // An exchange before a hop and the same one behind it are not two tries.
  // The secret goes first: an HMAC would cost four times as much and guard what never leaves this memory.
  return createHash('sha256')
    .update(SECRET)
    .update([of, routeIndex, method, target, ...who, ''].join('\n'));
}

function finish(hash: Hash): string {
  return hash.digest('hex').slice(0, HASH_HEX_CHARS);
}
