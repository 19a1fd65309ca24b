// Goal: the thread of the admin port may die; streams go on, and the port is back where it was.
// Method: a preload ends that thread while a stream runs.
import { expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { at, c, D, DONE, END, FINISH, HEAD, type Step } from '../support/script.ts';
import { poll, sleep } from '../support/signal.ts';

const PRELOAD = new URL('../support/kill-admin.ts', import.meta.url).href;
const bench = useBench({ nodeArgs: ['--import', PRELOAD] });

test('a dead thread of the admin port costs no stream, and another one serves', async () => {
  const steps = Array.from({ length: 40 }, (_, index): Step => at(50 * index, c(D('a'))));
  const running = bench.run({ script: [at(0, HEAD), ...steps, at(2_000, c(FINISH + DONE), END)] });
  await sleep(200);
  process.kill(bench.sidecar.pid, 'SIGUSR2');
  const gone = async (): Promise<true | undefined> => {
    return (await bench.sidecar.admin('/healthz').catch(() => undefined)) === undefined ? true : undefined;
  };
  await poll('the port to be gone', gone);
  const back = async (): Promise<true | undefined> => {
    return (await bench.sidecar.admin('/healthz').catch(() => undefined))?.status === 200 ? true : undefined;
  };
  await poll('the port to be back', back);
  expect((await bench.sidecar.admin('/metrics')).text).toContain('rubato_active');
  expect((await running).response.complete).toBe(true);
  expect(bench.sidecar.logs.filter(({ level }) => level === 'error').map(({ msg }) => msg)).toEqual([
    'the thread of the admin port died and is replaced',
  ]);
});
