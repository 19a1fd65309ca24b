// Goal: links of the live page are taken as they were written, and what no browser should be led to is refused.
// Method: values through the readers of their keys.
import { expect, test } from 'vitest';
import { keySpec } from '../../../src/config/keys.ts';

function read(name: 'trace-url' | 'dashboard-url', value: string): unknown {
  return keySpec(name).read(value);
}

test.each([
  'http://127.0.0.1:16686/trace/{traceId}',
  'https://grafana.example/explore?panes=%7B%22query%22%3A%22{traceId}%22%7D&id={traceId}',
  'http://tempo/#/{traceId}',
])('%s leads to a trace, and nothing of it is escaped anew', (url) => {
  expect(read('trace-url', url)).toEqual({ value: url });
});

test.each([
  ['http://127.0.0.1:16686/trace/', 'no {traceId}'],
  ['http://127.0.0.1:16686/trace/{traceid}', 'no {traceId}'],
  ['javascript:alert({traceId})', 'is not an http:// or https:// URL'],
  ['data:text/html,{traceId}', 'is not an http:// or https:// URL'],
  ['/trace/{traceId}', 'is not an http:// or https:// URL'],
  ['http://{traceId}.example/', 'stands in the host'],
  ['http://user:Secret7@127.0.0.1/{traceId}', 'user name or password'],
  ['http://127.0.0.1/a b/{traceId}', 'must be escaped'],
  ['http://127.0.0.1/"onload=/{traceId}', 'must be escaped'],
  [`http://127.0.0.1/${'a'.repeat(2_000)}/{traceId}`, 'longer than 2000'],
])('%s leads to none', (url, fault) => {
  const answer = read('trace-url', url) as { readonly fault: string };
  expect(answer.fault).toContain(fault);
  expect(answer.fault).not.toContain('Secret7');
});

test('dashboards need no id, and are http or https as well', () => {
  expect(read('dashboard-url', 'http://127.0.0.1:3000/d/rubato?orgId=1#top')).toEqual({
    value: 'http://127.0.0.1:3000/d/rubato?orgId=1#top',
  });
  expect(read('dashboard-url', 'ftp://127.0.0.1/')).toHaveProperty('fault');
});
