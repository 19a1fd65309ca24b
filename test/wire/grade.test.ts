// Goal: hops are started from their recipes and end without a trace, and the grader finds what a real one does.
// Method: the hand-written gateway of the recipes, which needs nothing but Node, as a process of its own; bounds
// on time have one side only. What is not on every machine is tested by npm run test:hops.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GRADE_CASES, START_CASE, type GradeCase } from '../../src/client/grade/cases.ts';
import { cardOf } from '../../src/client/grade/compare.ts';
import { drive, type GradeEngine, type Way } from '../../src/client/grade/drive.ts';
import { isThrough, startGradeEngine } from '../../src/client/grade/grade.ts';
import { findHop, type HopChoice } from '../../src/client/hops/load.ts';
import { HopMissing, hopVersion, startHop, type RunningHop } from '../../src/client/hops/start.ts';
import { NODE, ROOT, rubato } from '../support/program.ts';
import { poll } from '../support/signal.ts';

const MS = 1e6;
let grading: GradeEngine;
const hops: RunningHop[] = [];

beforeEach(async () => {
  grading = await startGradeEngine({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  for (const hop of hops.splice(0)) await hop.stop();
  await grading.engine.close();
});

async function start(name: string): Promise<Way> {
  const hop = await startHop(findHop(name), { upstreamPort: grading.engine.port, env: ENV });
  hops.push(hop);
  return { url: hop.url, path: hop.request.path, headers: hop.request.headers };
}

/** The gateway runs by the Node that runs the tests. */
const ENV = { PATH: `${join(NODE, '..')}:${process.env['PATH'] ?? ''}` };

async function card(gradeCase: GradeCase, through: Way) {
  const direct: Way = { url: grading.engine.url, path: '/v1/chat/completions', headers: {} };
  return cardOf(gradeCase, await drive(grading, direct, gradeCase), await drive(grading, through, gradeCase));
}

function caseOf(name: string): GradeCase {
  return GRADE_CASES.find((each) => each.name === name)!;
}

describe('the grader', () => {
  test('sees a gateway that flushes by a timer hold text, and change nothing of it', async () => {
    const { direct, through, changes } = await card(caseOf('steady-20'), await start('node-gateway/timer'));
    expect(changes).toEqual([]);
    expect(through.holdP50Ns! - direct.holdP50Ns!).toBeGreaterThan(50 * MS);
    expect(through.coalescedRatio!).toBeGreaterThan(0.5);
  });

  test('sees every byte of every script come through a gateway that passes', async () => {
    const way = await start('node-gateway/pass');
    for (const name of ['comments', 'tool-call', 'crlf', 'utf8', 'sizes', 'error']) {
      expect([name, (await card(caseOf(name), way)).changes]).toEqual([name, []]);
    }
  });

  test('sees that a gateway passes on the engine’s end and the client’s', async () => {
    const way = await start('node-gateway/pass');
    expect((await card(caseOf('cut'), way)).changes).toEqual([]);
    const { through, changes } = await card(caseOf('abort-before-token'), way);
    expect(changes).toEqual([]);
    expect(through.abortNs).toBeGreaterThanOrEqual(0);
  });

  test('knows whether a gateway leads to its engine', async () => {
    expect(await isThrough(grading, await start('node-gateway/pass'))).toBe(true);
    const elsewhere = { url: grading.engine.url, path: '/v1/nothing', headers: {} };
    expect(await isThrough(grading, elsewhere)).toBe(false);
    expect(START_CASE.script.writes.length).toBeGreaterThan(1);
  });
});

describe('a hop', () => {
  /** A recipe of nothing but a script of Node. */
  function scripted(code: string): HopChoice {
    const base = findHop('node-gateway/pass');
    return { ...base, variant: { ...base.variant, files: [], command: ['node', '-e', code] } };
  }

  test('ends with its process and its work folder, also when it does not listen to SIGTERM', async () => {
    const code =
      "process.on('SIGTERM', () => {}); require('node:http').createServer().listen(process.env.PORT, '127.0.0.1')";
    const deaf = scripted(code);
    const hop = await startHop(
      { ...deaf, variant: { ...deaf.variant, env: { PORT: '${LISTEN_PORT}' } } },
      { upstreamPort: 9, env: ENV },
    );
    const folder = readlinkSync(`/proc/${hop.pid}/cwd`);
    expect(folder).toContain('rubato-hop-');
    await hop.stop();
    expect(() => process.kill(hop.pid, 0)).toThrow();
    expect(existsSync(folder)).toBe(false);
  });

  test('that ends before it serves is told with its last words', async () => {
    const failing = scripted("console.error('no such directive: bufering'); process.exit(1)");
    await expect(startHop(failing, { upstreamPort: 9, env: ENV })).rejects.toThrow(
      'node-gateway/pass ended before it served: no such directive: bufering',
    );
  });

  test('whose product is not there is told as missing, with how it is installed', async () => {
    const hop = findHop('nginx/default');
    const nowhere = { ...hop, recipe: { ...hop.recipe, version: ['rubato-no-such-program'] } };
    await expect(hopVersion(nowhere, ENV)).rejects.toThrow(HopMissing);
    await expect(startHop(nowhere, { upstreamPort: 9, env: ENV })).rejects.toThrow(
      'nginx is not installed (apt-get install nginx-light).',
    );
  });
});

describe('rubato grade', () => {
  test('takes the gateway that it started with it when it is told to end', async () => {
    const env = { ...process.env, ...ENV };
    const child = spawn(NODE, ['src/main.ts', 'grade', '--recipe', 'node-gateway/pass'], { cwd: ROOT, env });
    const childOf = (): string => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
    let told = '';
    child.stderr.on('data', (text: Buffer) => (told += text.toString()));
    await poll('the grading to be under way', () => (told.includes('a token every 20 ms') ? true : undefined), 20_000);
    const gateway = Number(childOf());
    expect(gateway).toBeGreaterThan(0);
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(143);
    await poll('the gateway to end', () => (existsSync(`/proc/${gateway}/fd/0`) ? undefined : true), 5_000);
  });

  test('names the recipes', async () => {
    const { status, stdout } = await rubato(['grade', '--recipe', 'list']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^nginx\/buffering-off +nginx: proxy_buffering off$/m);
  });

  test('tells everything that is wrong with its flags at once', async () => {
    const args = ['--wait', '0', '--header', 'nothing', '--engine-listen', 'x', '--key-env', 'NO_SUCH_KEY'];
    const { status, stderr } = await rubato(['grade', ...args]);
    expect(status).toBe(64);
    for (const flag of ['--gateway or --recipe', '--wait', '--header', '--engine-listen', '--key-env']) {
      expect(stderr).toContain(flag);
    }
  });

  test('says where its engine listens, and gives up when no gateway leads there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rubato-grade-'));
    const page = join(folder, 'card.html');
    const args = ['--gateway', 'http://127.0.0.1:9', '--engine-listen', '127.0.0.1:0', '--wait', '1', '--html', page];
    const { status, stderr } = await rubato(['grade', ...args]);
    expect(status).toBe(69);
    expect(stderr).toMatch(/The engine listens at http:\/\/127\.0\.0\.1:\d+\./);
    expect(existsSync(page)).toBe(false);
    rmSync(folder, { recursive: true });
  });
});
