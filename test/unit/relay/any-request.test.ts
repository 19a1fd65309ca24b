// Goal: whatever a head holds, gate, fields and routes neither throw nor let through what could be read in two
// ways or reach where it should not.
// Method: random heads made of suspicious pieces; what passes is held against rules written down once more here.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusal, type RequestLine } from '../../../src/relay/gate.ts';
import { asksForWebSocket, passFields, passTrailers } from '../../../src/relay/headers.ts';
import { pickRoute } from '../../../src/relay/routes.ts';
import type { RouteRule } from '../../../src/relay/settings.ts';
import { readRequest } from '../../../src/stream/request-reader.ts';
import { HOP_BY_HOP } from '../../support/fields.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../support/fuzz.ts';

const ALWAYS_PASS = ['host', 'content-length', 'authorization', 'cookie', 'content-type'];

const anyCase = (word: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map((upper) => [...word].map((letter, index) => (upper[index] ? letter.toUpperCase() : letter)).join(''));
const name = fc
  .constantFrom(
    'host',
    'connection',
    'transfer-encoding',
    'content-length',
    'te',
    'upgrade',
    'keep-alive',
    'x-a',
    'x-b',
    'cookie',
    'authorization',
    'trailer',
    'http2-settings',
  )
  .chain(anyCase);
const fieldText = fc.oneof(
  fc.constantFrom(
    'chunked',
    'Chunked',
    'identity',
    'chunked, chunked',
    'gzip, chunked',
    'xchunked',
    '\tchunked',
    '0',
    '5',
    '+5',
    '5, 5',
    '',
  ),
  fc.constantFrom('close', 'keep-alive', 'upgrade, host', 'content-length', 'x-a, x-b', 'te,,', 'websocket', 'h2c'),
  fc.constantFrom(
    'engine.test',
    'engine.test:80',
    'engine.test@evil',
    'a b',
    '[::1]:8',
    'evil, engine.test',
    'engine.test/',
  ),
  fc.string(),
);
const fields = fc.array(fc.tuple(name, fieldText), { maxLength: 8 }).map((pairs) => pairs.flat());
const target = fc.oneof(
  fc.constantFrom(
    '/',
    '*',
    '//',
    '/a/../b',
    '/%2e%2e/b',
    '/a%2fb',
    '/a;b',
    '/a\\b',
    '/a#b',
    'http://engine.test/a',
    'http://evil/a',
    'https://engine.test',
    'ftp://x/',
  ),
  fc
    .array(fc.constantFrom('a', 'b', 'v1', '..', '.', '%2e', '%2E%2e', '%2f', '%5c', '', ';x', 'ab'), { maxLength: 6 })
    .map((parts) => `/${parts.join('/')}`),
  fc.string(),
);
const line: fc.Arbitrary<RequestLine> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'OPTIONS', 'HEAD', 'PURGE'),
  target,
  majorVersion: fc.constantFrom(1, 1, 1, 2, 0),
  minorVersion: fc.constantFrom(1, 1, 1, 0),
  fields,
});

const named = (list: readonly string[], wanted: string): string[] =>
  list.filter((_, index) => index % 2 === 1 && list[index - 1]?.toLowerCase() === wanted);

describe('the gate', () => {
  test(
    'lets only heads through that can be read in one way',
    () => {
      let passedCount = 0;
      fc.assert(
        fc.property(line, (request) => {
          const refused = refusal(request);
          if (refused !== undefined) {
            expect([400, 431]).toContain(refused.status);
            expect(refused.detail).toMatch(/^[A-Z][ -~]+\.$/);
            return;
          }
          passedCount += 1;
          const hosts = named(request.fields, 'host');
          const codings = named(request.fields, 'transfer-encoding');
          expect(request.majorVersion).toBe(1);
          expect(hosts.length).toBeLessThanOrEqual(1);
          if (request.minorVersion === 1) expect(hosts).toHaveLength(1);
          expect(hosts.join()).not.toMatch(/[\s@/\\]/);
          expect(codings.length).toBeLessThanOrEqual(1);
          if (codings.length === 1) {
            expect(codings[0]?.trim().toLowerCase()).toBe('chunked');
            expect(named(request.fields, 'content-length')).toEqual([]);
            expect(request.minorVersion).toBe(1);
          }
          // oxlint-disable-next-line no-control-regex
          expect(request.target).not.toMatch(/[\x00-\x20\x7f#\\]/);
          const authority = /^https?:\/\/([^/?]*)/i.exec(request.target)?.[1];
          if (authority !== undefined && hosts.length === 1)
            expect(authority.toLowerCase()).toBe(hosts[0]?.toLowerCase());
        }),
        fuzz(20_000),
      );
      // Otherwise the property would have said nothing.
      expect(passedCount).toBeGreaterThan(100);
    },
    FUZZ_TIMEOUT_MS,
  );
});

describe('fields', () => {
  test(
    'that pass are those of the head, in order, less what is for one hop only',
    () => {
      fc.assert(
        fc.property(fields, (list) => {
          const passed = passFields(list);
          let at = 0;
          for (let index = 0; index < passed.length; index += 2) {
            while (at < list.length && (list[at] !== passed[index] || list[at + 1] !== passed[index + 1])) at += 2;
            expect(at).toBeLessThan(list.length);
            at += 2;
          }
          for (const hop of HOP_BY_HOP) expect(named(passed, hop)).toEqual([]);
          for (const kept of ALWAYS_PASS) expect(named(passed, kept)).toEqual(named(list, kept));
          expect(passFields(passed)).toEqual(passed);
          for (const framing of ['host', 'content-length', 'trailer'])
            expect(named(passTrailers(list), framing)).toEqual([]);
          if (asksForWebSocket(list)) expect(named(list, 'transfer-encoding')).toEqual([]);
        }),
        fuzz(5_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});

describe('routes', () => {
  const routes = ['/a', '/a/b/', '/v1', undefined].map((prefix, id) => ({ id, prefix, host: undefined }) as RouteRule);

  test(
    'with a prefix are only reached by paths that stay below it however they are resolved',
    () => {
      fc.assert(
        fc.property(target, (asked) => {
          const picked = pickRoute(routes, asked, ['host', 'engine.test']);
          expect(picked).toBeDefined();
          if (picked?.prefix === undefined || !/^(?:\/|https?:)/.test(asked)) return;
          // Any server behind may resolve dots, and decode once before it does.
          for (const path of [
            asked,
            asked.replaceAll(/%2e/gi, '.').replaceAll(/%2f/gi, '/').replaceAll(/%5c/gi, '/'),
          ]) {
            if (!URL.canParse(path, 'http://engine.test')) continue;
            const { pathname } = new URL(path, 'http://engine.test');
            const below = picked.prefix.replace(/\/$/, '');
            expect(pathname === below || pathname.startsWith(`${below}/`)).toBe(true);
          }
        }),
        fuzz(20_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});

describe('bodies of requests', () => {
  const json = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }).map((each) => JSON.stringify(each)),
    fc.string({ unit: 'grapheme' }),
  );
  const known = fc.record(
    {
      model: fc.anything(),
      stream: fc.anything(),
      n: fc.anything(),
      max_tokens: fc.anything(),
      messages: fc.anything(),
      prompt: fc.anything(),
    },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    json,
    known.map((each) => tryJson(each)),
  );

  test(
    'of any kind are read as far as they can be, by types that hold',
    () => {
      fc.assert(
        fc.property(
          body,
          fc.nat(),
          fc.constantFrom('application/json', 'text/plain', 'image/png', undefined),
          (text, cutAt, mediaType) => {
            const bytes = Buffer.from(text);
            const cut = cutAt % (bytes.length + 1);
            for (const copy of [
              { head: bytes, totalBytes: bytes.length },
              { head: bytes.subarray(0, cut), tail: bytes.subarray(cut), totalBytes: bytes.length + 10 },
              { head: bytes.subarray(0, cut), totalBytes: bytes.length + 1 },
            ]) {
              const reading = readRequest(copy, mediaType, undefined, '/v1/chat/completions');
              expect(['string', 'undefined']).toContain(typeof reading.model);
              expect((reading.model ?? '').length).toBeLessThanOrEqual(128);
              expect(['boolean', 'undefined']).toContain(typeof reading.stream);
              for (const count of [reading.choices, reading.maxTokens, reading.promptBytes]) {
                expect(count === undefined || (Number.isSafeInteger(count) && count >= 0)).toBe(true);
              }
            }
          },
        ),
        fuzz(5_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});

function tryJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return ''; // Cycles and big integers are no JSON.
  }
}
