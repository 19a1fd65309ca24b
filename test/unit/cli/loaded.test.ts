// Goal: a sidecar holds in memory what it needs to serve, and not what other commands need. Method: the real program
// starts where its port is taken, which it finds out when everything is loaded, and its loader notes what that was.
import { spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { KEPT_CODE, NODE, ROOT } from '../../support/program.ts';

const MARK = 'LOADED ';
const NOTING = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  process.on('exit', () => process.stderr.write('\\n${MARK}' + JSON.stringify(urls) + '\\n'));`;

/** Files of src/ that the main thread loads; threads of their own have notes of their own, and fewer files. */
function loadedBy(args: readonly string[]): string[] {
  const noting = `data:text/javascript,${encodeURIComponent(NOTING)}`;
  const { stderr } = spawnSync(NODE, ['--import', noting, 'src/main.ts', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', ...KEPT_CODE },
  });
  const notes = stderr.split('\n').filter((line) => line.startsWith(MARK));
  const lists = notes.map((line) => JSON.parse(line.slice(MARK.length)) as string[]);
  const [longest = []] = lists.toSorted((a, b) => b.length - a.length);
  const source = `file://${ROOT}src/`;
  return longest.filter((url) => url.startsWith(source)).map((url) => url.slice(source.length));
}

test('serve loads nothing that only other commands need', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  try {
    const flags = ['--upstream', 'http://127.0.0.1:9', '--listen', `127.0.0.1:${port}`, '--admin', '127.0.0.1:0'];
    const loaded = loadedBy(['serve', ...flags]);
    expect(loaded).toContain('app/serve.ts');
    expect(loaded).toContain('telemetry/live/feed.ts');
    const others = /^(?:client|page|app\/record-report|app\/doctor|telemetry\/grafana|telemetry\/rules)\//;
    expect(loaded.filter((path) => others.test(path))).toEqual([]);
  } finally {
    taken.close();
  }
});
