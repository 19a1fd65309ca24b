// Goal: what is asked for one exchange comes to one of four answers, and never to a thrown one. Method: the browser's
// `fetch` is played.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fetchStream, streamUrl } from '../../../src/page/feed/fetch-stream.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

function answered(response: () => Response | Promise<Response>): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url);
    return Promise.resolve().then(response);
  });
  return asked;
}

describe('an exchange', () => {
  test('is asked for beside the page, whatever its id is made of', async () => {
    const asked = answered(() => Response.json({ open: {} }));
    await fetchStream('0.a/../x?y');
    expect(asked).toEqual(['./api/streams/0.a%2F..%2Fx%3Fy']);
    expect(streamUrl('0.a-1')).toBe('./api/streams/0.a-1');
  });

  test('that is open, and one that ended, are told apart', async () => {
    answered(() => Response.json({ open: { id: 'a' } }));
    expect(await fetchStream('a')).toEqual({ kind: 'open', detail: { open: { id: 'a' } } });
    answered(() => Response.json({ record: { id: 'a' } }));
    expect(await fetchStream('a')).toEqual({ kind: 'ended', report: { record: { id: 'a' } } });
  });

  test('that nobody keeps any more is gone', async () => {
    answered(() => Response.json({ error: 'not_found' }, { status: 404 }));
    expect(await fetchStream('a')).toEqual({ kind: 'gone' });
  });

  test('that could not be had comes with the reason', async () => {
    answered(() => new Response('', { status: 503 }));
    expect(await fetchStream('a')).toMatchObject({ kind: 'failed', says: expect.stringContaining('503') as string });
    answered(() => new Response('{"record":'));
    expect(await fetchStream('a')).toEqual({ kind: 'failed', says: 'The answer is not complete.' });
    answered(() => {
      throw new TypeError('network');
    });
    expect(await fetchStream('a')).toEqual({ kind: 'failed', says: 'The sidecar cannot be reached.' });
  });

  test('that nobody asks for any more is no fault of the sidecar', async () => {
    const controller = new AbortController();
    answered(() => {
      controller.abort();
      throw new DOMException('aborted', 'AbortError');
    });
    expect(await fetchStream('a', controller.signal)).toMatchObject({
      kind: 'failed',
      says: 'The question was withdrawn.',
    });
  });
});
