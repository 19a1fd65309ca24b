// Goal: the same load for each value of a setting, each against an endpoint that was started for it and is gone
// afterwards; a command that does not bring it up is told. Method: the real command with a small server as the
// engine, whose first token is as late as the value says.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/client/hops/free-port.ts';
import type { SettingStep } from '../../src/client/load/setting-sweep.ts';
import { fileLines, stepColumns, useLoadBench } from '../support/load-bench.ts';
import { NODE } from '../support/program.ts';
import { runCli } from '../unit/cli/fake-io.ts';

const { folder } = useLoadBench();

const SERVER = `
import { createServer } from 'node:http';
const [port, firstMs] = process.argv.slice(2).map(Number);
createServer((incoming, outgoing) => {
  incoming.resume().on('end', () => {
    if (incoming.method === 'GET') return outgoing.end('{"data":[{"id":"small"}]}');
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = (delta, finish_reason) => 'data: ' + JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] }) + '\\n\\n';
    setTimeout(() => outgoing.write(event({ content: 'tick ' }, null)), firstMs);
    setTimeout(() => outgoing.end(event({ content: 'tack ' }, 'stop') + 'data: [DONE]\\n\\n'), firstMs + 20);
  });
}).listen(port, '127.0.0.1');
`;
const script = join(folder, 'server.mjs');
let port = 0;
beforeAll(async () => {
  writeFileSync(script, SERVER);
  port = await freePort();
});

const sweep = (command: string, ...flags: string[]) =>
  runCli(['load', `http://127.0.0.1:${port}`, '--rate', '50', '--count', '10', '--restart-command', command, ...flags]);

test('each value has its own endpoint, its own figures and its own point', async () => {
  const svg = join(folder, 'plot.svg');
  const json = join(folder, 'run.json');
  const flags = ['--sweep-setting', 'first-ms=10,150', '--svg', svg, '--json', json];
  // A shell that stays in between: what it started must end with it.
  const { exitCode, out, err } = await sweep(`'${NODE}' '${script}' ${port} {value}; true`, ...flags);
  expect(exitCode, out + err).toBe(0);
  const { setting, sweep: steps } = JSON.parse(readFileSync(json, 'utf8')) as { setting: string; sweep: SettingStep[] };
  expect([setting, steps.map(({ value }) => value)]).toEqual(['first-ms', ['10', '150']]);
  const [quick, slow] = steps.map(({ result }) => result.classes[0]);
  expect([quick?.okCount, slow?.okCount]).toEqual([10, 10]);
  expect(slow?.ttft.fromSent.p50Ns).toBeGreaterThanOrEqual(149e6);
  expect(out).toMatch(/^150 +(b|–)/m);
  expect(readFileSync(svg, 'utf8')).toContain('TTFT p50 from due');
  await expect(fetch(`http://127.0.0.1:${port}/v1/models`)).rejects.toThrow();
});

test('lines, files and reports of a setting say which value they are of', async () => {
  const [csv, guidellm, aiperf] = ['run.csv', 'report.json', 'run.jsonl'].map((name) => join(folder, name));
  const exports = ['--export', `guidellm=${guidellm}`, '--export', `aiperf=${aiperf}`];
  const flags = ['--sweep-setting', 'first-ms=10,30', '--csv', csv ?? '', ...exports];
  const { exitCode, err } = await sweep(`'${NODE}' '${script}' ${port} {value}`, ...flags);
  expect(exitCode, err).toBe(0);
  expect(stepColumns(csv ?? '')).toEqual(['first-ms,class,sent,ok', '10,interactive,10,10', '30,interactive,10,10']);
  const { benchmarks } = JSON.parse(readFileSync(guidellm ?? '', 'utf8')) as {
    benchmarks: { config: { environment: object } }[];
  };
  expect(benchmarks.map(({ config }) => config.environment)).toMatchObject([
    { 'first-ms': '10' },
    { 'first-ms': '30' },
  ]);
  for (const value of ['10', '30']) expect(fileLines(join(folder, `run-first-ms-${value}.jsonl`))).toHaveLength(10);
});

test('a command that fails is told with its value, exit 69', async () => {
  const { exitCode, err } = await sweep('exit {value}', '--sweep-setting', 'code=7');
  expect(exitCode).toBe(69);
  expect(err).toContain('did not bring the endpoint up for "7": it ended with 7');
});

test('an endpoint that never comes up is told, exit 69', async () => {
  const { exitCode, err } = await sweep('sleep {value}', '--sweep-setting', 'seconds=60', '--ready-timeout', '1');
  expect(exitCode).toBe(69);
  expect(err).toContain('did not answer within 1 s');
});

test('a value that would mean something to the shell is refused, exit 64', async () => {
  const { exitCode, err } = await sweep('echo {value}', '--sweep-setting', 'a=1;reboot');
  expect([exitCode, err.includes('--sweep-setting: expected')]).toEqual([64, true]);
});
