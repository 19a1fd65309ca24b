// Loaded into the sidecar by `--import` in tests: what the relay writes on its tape about a request for
// `…?throw=NAME` throws, as if a fault nobody foresaw sat there. NAME is a method of the writer, or a kind of mark.
import { isMainThread } from 'node:worker_threads';
import { TapeWriter } from '../../src/tape/writer.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;
const METHODS = ['requestBytes', 'mark', 'connected', 'head', 'chunk', 'flush', 'end'] as const;

/** By exchange: where it shall throw. */
const places = new Map<number, string>();

if (!isMainThread) {
  const writer = TapeWriter.prototype as unknown as Record<string, Method>;
  const open = writer['open'] as Method;
  writer['open'] = function (this: unknown, ...args) {
    const { exchange, target } = args[0] as { exchange: number; target: string };
    const place = /[?&]throw=(\w+)/.exec(target)?.[1];
    if (place !== undefined) places.set(exchange, place);
    return open.apply(this, args);
  };
  for (const method of METHODS) {
    const original = writer[method] as Method;
    writer[method] = function (this: unknown, ...args) {
      const [first, second] = args;
      const exchange = typeof first === 'number' ? first : (first as { exchange: number }).exchange;
      const place = places.get(exchange);
      if (place !== undefined && (place === method || (method === 'mark' && place === second)))
        throw new TypeError('a fault that nobody foresaw');
      return original.apply(this, args);
    };
  }
}
