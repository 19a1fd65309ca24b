// Goal: hops are named that name themselves, in closed words, and no value of a field gets out. Method: heads as
// these products write them; values made up, and random heads.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOP_PRODUCTS } from '../../../src/record/hop-signs.ts';
import { hopSignsOf } from '../../../src/stream/hop-signs.ts';
import { fuzz } from '../../support/fuzz.ts';

const productsOf = (...fields: string[]): readonly string[] | undefined => hopSignsOf(fields)?.products;

describe('products', () => {
  test.each<[string[], string[]]>([
    [['Server', 'nginx/1.27.3'], ['nginx']],
    [['Server', 'openresty/1.25.3.1'], ['openresty']],
    [['Server', 'Apache/2.4.62 (Debian)'], ['apache']],
    [['Server', 'APISIX/3.9.0'], ['apisix']],
    [['Server', 'istio-envoy', 'x-envoy-upstream-service-time', '12'], ['envoy']],
    [['Server', 'h2o/2.2.6'], ['h2o']],
    [['Server', 'ATS/9.2.5', 'Via', 'http/1.1 edge (ApacheTrafficServer/9.2.5 [c sSf ])'], ['traffic_server']],
    [['Server', 'uvicorn', 'Via', '1.1 Caddy'], ['caddy']],
    [['Via', '1.1 proxy.internal (squid/5.7)', 'X-Cache', 'MISS from proxy.internal'], ['squid']],
    [['Via', '1.1 a (Varnish/7.1)', 'X-Varnish', '32770'], ['varnish']],
    [['Via', '1.1 varnish', 'X-Served-By', 'cache-fra-eddf8230-FRA', 'X-Cache', 'MISS'], ['fastly']],
    [['Via', '1.1 0a.cloudfront.net (CloudFront)', 'X-Amz-Cf-Id', 'abc=='], ['cloudfront']],
    [['Server', 'cloudflare', 'CF-RAY', '8f1a2b3c4d-FRA'], ['cloudflare']],
    [['Server', 'kong/3.9.0', 'X-Kong-Upstream-Latency', '5'], ['kong']],
    [['server', 'uvicorn', 'x-litellm-call-id', '7'], ['litellm']],
    [['x-portkey-trace-id', '7'], ['portkey']],
    [['Server', 'awselb/2.0'], ['aws_alb']],
    [['Via', '1.1 google'], ['google_frontend']],
    [['Server', 'Google Frontend'], ['google_frontend']],
    [['X-Azure-Ref', '0abc'], ['azure_front_door']],
    [['Server', 'Vercel', 'X-Vercel-Id', 'fra1::a'], ['vercel']],
    [['Server', 'AkamaiGHost', 'Akamai-GRN', '0.1'], ['akamai']],
  ])('of %j', (fields, products) => {
    expect(productsOf(...fields)).toEqual(products);
  });

  test('stand with the nearest first: the last of via, then who wrote over `server`', () => {
    expect(productsOf('X-Envoy-Attempt-Count', '1', 'Server', 'nginx', 'Via', '1.1 a (squid/5.7), 1.1 Caddy')).toEqual([
      'caddy',
      'squid',
      'nginx',
      'envoy',
    ]);
    // The same in two fields.
    expect(productsOf('Via', '1.1 a (squid/5.7)', 'Via', '1.1 Caddy')).toEqual(['caddy', 'squid']);
  });

  test.each([
    'uvicorn',
    'gunicorn',
    'llama.cpp',
    'Apache-Coyote/1.1',
    'whats/1.0',
    'TornadoServer/6.1',
    'hypercorn-h11',
  ])('are not made of a server of applications: %s', (server) => {
    expect(hopSignsOf(['Server', server])).toBeUndefined();
  });
});

describe('what the head was asked for and says of itself', () => {
  test('the request not to buffer', () => {
    expect(hopSignsOf(['X-Accel-Buffering', 'no'])).toEqual({ accelBuffering: 'no' });
    expect(hopSignsOf(['X-Accel-Buffering', ' Yes '])).toEqual({ accelBuffering: 'yes' });
    expect(hopSignsOf(['X-Accel-Buffering', 'secret'])).toBeUndefined();
  });

  test('words of cache-control that matter to a stream, whatever stands beside them', () => {
    const fields = ['Cache-Control', 'private, No-Transform', 'cache-control', 'no-cache="set-cookie", max-age=0'];
    expect(hopSignsOf(fields)).toEqual({ cacheControl: ['no-transform'] });
    expect(hopSignsOf(['cache-control', 'no-store,no-cache'])).toEqual({ cacheControl: ['no-cache', 'no-store'] });
  });

  test('a length, when it is one', () => {
    expect(hopSignsOf(['Content-Length', '120'])).toEqual({ lengthBytes: 120 });
    expect(hopSignsOf(['Content-Length', '0'])).toEqual({ lengthBytes: 0 });
    expect(hopSignsOf(['Content-Length', '9'.repeat(30)])).toBeUndefined();
  });

  test('hops in via are counted, known or not', () => {
    expect(hopSignsOf(['Via', '1.1 a, 1.0 b'])).toEqual({ viaCount: 2 });
  });

  test.each<[string, string, boolean]>([
    ['Age', '12', true],
    ['Age', '0', false],
    ['X-Cache', 'Hit from cloudfront', true],
    ['X-Cache', 'TCP_MEM_HIT from a', true],
    ['X-Cache', 'MISS, HIT', true],
    ['X-Cache', 'MISS from hit.example', false],
    ['X-Cache', 'Miss from cloudfront', false],
    ['CF-Cache-Status', 'DYNAMIC', false],
    ['X-Portkey-Cache-Status', 'SEMANTIC HIT', true],
    ['X-Varnish', '32772 32770', true],
    ['X-Varnish', '32772', false],
    ['Cache-Status', 'edge; hit; ttl=30', true],
    ['Cache-Status', 'edge; fwd=miss', false],
  ])('a cache that had the answer: %s: %s', (name, value, cached) => {
    expect(hopSignsOf([name, value])?.cached ?? false).toBe(cached);
  });
});

test('no value gets out: all that is told is a closed word, a number or a mark', () => {
  const names = [
    'server',
    'via',
    'x-cache',
    'age',
    'cache-control',
    'x-accel-buffering',
    'x-powered-by',
    'x-kong-a',
    'a',
  ];
  const field = fc.tuple(fc.constantFrom(...names), fc.oneof(fc.string(), fc.constantFrom('nginx', 'no', 'HIT', '7')));
  fc.assert(
    fc.property(fc.array(field, { maxLength: 12 }), (fields) => {
      const { products = [], cacheControl = [], accelBuffering, ...rest } = hopSignsOf(fields.flat()) ?? {};
      expect(products.filter((product) => !HOP_PRODUCTS.includes(product))).toEqual([]);
      expect(new Set(products).size).toBe(products.length);
      expect(['no-cache', 'no-store', 'no-transform']).toEqual(expect.arrayContaining([...cacheControl]));
      expect(['no', 'yes', undefined]).toContain(accelBuffering);
      expect(Object.values(rest).every((value) => value === true || Number.isSafeInteger(value))).toBe(true);
    }),
    fuzz(200),
  );
});
