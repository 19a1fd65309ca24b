// Goal: the files for Prometheus that are shipped are ones that it takes, and their alerts fire when they should.
// Method: promtool of Prometheus judges them where they lie.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/program.ts';
import { say } from './judge/missing.ts';

const isThere = spawnSync('promtool', ['--version']).error === undefined;
if (!isThere) say('!!!!!!!! NOT TESTED with promtool: it is not installed (Debian package prometheus) !!!!!!!!');

test.skipIf(!isThere).each([
  ['check', 'config', 'prometheus.yml'],
  ['check', 'rules', '--lint=all', '--lint-fatal', 'rubato.rules.yml'],
  ['test', 'rules', 'rubato.tests.yml'],
])('promtool %s %s passes', (...args) => {
  const cwd = join(ROOT, 'deploy/prometheus');
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd, encoding: 'utf8' });
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
});
