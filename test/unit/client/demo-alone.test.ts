// Goal: engine and load of the demo can run in places of their own, for as long as they are wanted, and a command
// line that asks for both or for neither's flags is refused. Method: the load is sent to the engine itself, as if a
// sidecar stood between; command lines run in this process.
import { describe, expect, test } from 'vitest';
import { runEngineAlone, runLoadAlone } from '../../../src/client/demo-alone.ts';
import { runCli } from '../cli/fake-io.ts';

/** What is written, and the first address in it once it stands there. */
function listen(): { write: (text: string) => void; readonly text: () => string; readonly url: Promise<string> } {
  let text = '';
  const { promise, resolve } = Promise.withResolvers<string>();
  const write = (more: string): void => {
    text += more;
    const url = /http:\/\/[\w.:]+/.exec(text)?.[0];
    if (url !== undefined) resolve(url);
  };
  return { write, text: () => text, url: promise };
}

describe('the engine alone', () => {
  test('speaks as the engine that is named, and ends when it is told to', { timeout: 60_000 }, async () => {
    const [out, stop] = [listen(), new AbortController()];
    const run = runEngineAlone({ seed: 1, out, stop: stop.signal, host: '127.0.0.1', port: 0, persona: 'llamacpp' });
    const url = await out.url;
    const body = { model: 'reference-small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 3 };
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
    // Only llama.cpp states its times by this name.
    expect(Object.keys((await answer.json()) as object)).toContain('timings');
    stop.abort();
    expect(await run).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('does not start where its address is taken', async () => {
    const [out, stop] = [listen(), new AbortController()];
    const first = runEngineAlone({ seed: 1, out, stop: stop.signal, host: '127.0.0.1', port: 0, persona: 'vllm' });
    const port = Number(new URL(await out.url).port);
    const second = runEngineAlone({ seed: 1, out, stop: stop.signal, host: '127.0.0.1', port, persona: 'vllm' });
    await expect(second).rejects.toThrow('EADDRINUSE');
    stop.abort();
    await first;
  });
});

test('the load alone is answered by such an engine until it is stopped', { timeout: 60_000 }, async () => {
  const [engineOut, out, stop, stopEngine] = [listen(), listen(), new AbortController(), new AbortController()];
  const engine = runEngineAlone({
    seed: 1,
    out: engineOut,
    stop: stopEngine.signal,
    host: '127.0.0.1',
    port: 0,
    persona: 'vllm',
  });
  const url = await engineOut.url;
  const load = runLoadAlone(url, { seed: 1, out, stop: stop.signal });
  const finished = async (): Promise<number> => {
    const page = await (await fetch(`${url}/metrics`)).text();
    return Number(/^vllm:request_success_total\{[^}]*\} (\d+)/m.exec(page)?.[1] ?? 0);
  };
  await expect.poll(finished, { timeout: 50_000 }).toBeGreaterThanOrEqual(1);
  stop.abort();
  expect(await load).toBe(0);
  expect(out.text()).toMatch(/^Sent [1-9]\d*, of which [1-9]\d* were answered in full\.$/m);
  stopEngine.abort();
  await engine;
});

describe('a command line is refused', () => {
  test.each([
    [['--engine-only', 'here'], '--engine-only: '],
    [['--engine-only', '127.0.0.1:0', '--engine-as', 'gpt'], '--engine-as: "gpt" is not one of reference, vllm'],
    [['--engine-as', 'vllm'], '--engine-as: needs --engine-only.'],
    [['--load-only', 'https://api.example.com'], '--load-only: is no http URL.'],
    [['--engine-only', '127.0.0.1:0', '--load-only', 'http://a'], 'Give either --engine-only or --load-only.'],
    [['--load-only', 'http://a', '--keep'], '--keep: is for the whole demo.'],
    [['--engine-only', '127.0.0.1:0', '--seconds', '3'], '--seconds: is for the whole demo.'],
  ])('demo %j', async (args, fault) => {
    const { exitCode, err } = await runCli(['demo', ...args]);
    expect(err).toContain(fault);
    expect(exitCode).toBe(64);
  });
});
