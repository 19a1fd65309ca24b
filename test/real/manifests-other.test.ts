// Goal: the Compose files, the Dockerfile and the systemd unit are what their readers take. Method: compose-go, of which
// Docker Compose is made, loads the project; hadolint and systemd-analyze look at the others; each finds a fault that
// is put in.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support/program.ts';
import { hasCommand } from './engine/command.ts';
import { orMissing, say } from './judge/missing.ts';
import { ask, type Said } from './manifests/ask.ts';
import { goTool, hadolint } from './manifests/tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubato-manifests-other-'));
afterAll(() => rmSync(folder, { recursive: true }));

const DEPLOY = join(ROOT, 'deploy');
const composeSpec = await orMissing('compose-go', () => goTool('compose-spec'));
const linter = await orMissing('hadolint', hadolint);
const hasSystemd = await hasCommand('systemd-analyze');
if (!hasSystemd) say('!!!!!!!! NOT TESTED with systemd-analyze: it is not installed (Debian package systemd) !!!!!!!!');

interface Project {
  readonly services: Readonly<Record<string, { readonly depends_on?: unknown; readonly environment?: unknown }>>;
}

describe.skipIf(composeSpec === undefined)('the Compose files', () => {
  // Without what the environment of this run says; the file's own folder is the project's.
  const load = (...args: string[]): Said => ask(composeSpec!, args, { cwd: DEPLOY, env: { COMPOSE_FILE: '' } });

  test('load as one project whose services know each other', () => {
    const { code, out, err } = load('compose.yaml');
    expect(err).toBe('');
    expect(code).toBe(0);
    const { services } = parse(out) as Project;
    expect(Object.keys(services)).toHaveLength(7);
    expect(services['load']?.depends_on).toEqual({ rubato: { condition: 'service_healthy', required: true } });
    const needed = Object.values(services).flatMap((service) => Object.keys(service.depends_on ?? {}));
    expect(needed.filter((name) => !(name in services))).toEqual([]);
  });

  test('with the second one leave the engine and its load out', () => {
    const { err, out } = load('-no-interpolation', 'compose.yaml', 'compose.own-engine.yaml');
    expect(err).toBe('');
    const { services } = parse(out) as Project;
    expect(Object.keys(services).toSorted()).toEqual(['grafana', 'otel-collector', 'prometheus', 'rubato', 'tempo']);
    expect(services['rubato']?.depends_on).toBeUndefined();
  });

  test('with the second one want to be told where the engine is', () => {
    const { code, err } = load('compose.yaml', 'compose.own-engine.yaml');
    expect(err).toContain('Say where your engine is');
    expect(code).not.toBe(0);
  });

  test.each([
    ['mem_limit: 512m', 'memlimit: 512m', 'memlimit'],
    ['engine: { condition: service_healthy }', 'engine: { condition: service_health }', 'condition'],
    ['retries: 10', 'retries: ten', 'retries'],
  ])('with %s written as %s are refused', (right, wrong, why) => {
    const text = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8');
    expect(text).toContain(right);
    const file = join(folder, 'compose.yaml');
    writeFileSync(file, text.replace(right, wrong));
    const { code, err } = load(file);
    expect(err).toContain(why);
    expect(code).not.toBe(0);
  });
});

describe.skipIf(linter === undefined)('the Dockerfile', () => {
  const lint = (text: string): Said => ask(linter!, ['--no-color', '-'], { input: text });
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

  test('has nothing that hadolint finds', () => {
    expect(lint(text)).toEqual({ code: 0, out: '', err: '' });
  });

  test.each([
    ['FROM node:24-trixie-slim AS build', 'FROM node:latest AS build', 'DL3007'],
    ['WORKDIR /rubato', 'WORKDIR rubato', 'DL3000'],
    ['CMD ["serve"]', 'CMD serve', 'DL3025'],
  ])('with %s written as %s is complained about', (right, wrong, rule) => {
    expect(text).toContain(right);
    expect(lint(text.replace(right, wrong)).out).toContain(rule);
  });

  test('copies only what the builder is given', () => {
    const given = readFileSync(join(ROOT, '.dockerignore'), 'utf8').match(/(?<=^!).+$/gm) ?? [];
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
    expect(copied.length).toBeGreaterThan(4);
    for (const path of copied) {
      expect(given, path).toContain(path.replace(/^\.\//, ''));
      expect(existsSync(join(ROOT, path)), path).toBe(true);
    }
  });
});

describe.skipIf(!hasSystemd)('the systemd unit', () => {
  /** Exposure of 10 at most, in tenths, as `systemd-analyze security` counts it. */
  const EXPOSURE_MAX = 15;

  /** Node need not lie where the unit looks for it, so that path is this run's. */
  function unit(change: (text: string) => string): string {
    const file = join(folder, 'rubato.service');
    copyFileSync(join(DEPLOY, 'rubato.service'), file);
    writeFileSync(file, change(readFileSync(file, 'utf8')).replace('/usr/bin/node', process.execPath));
    return file;
  }
  const same = (text: string): string => text;

  test('is understood whole', () => {
    expect(ask('systemd-analyze', ['verify', unit(same)])).toEqual({ code: 0, out: '', err: '' });
  });

  test('with a setting that is none is complained about', () => {
    const file = unit((text) => text.replace('ProtectProc=', 'ProtectProk='));
    expect(ask('systemd-analyze', ['verify', file]).err).toContain("Unknown key 'ProtectProk'");
  });

  test('leaves little open, and with less denied it would be told', () => {
    const look = (file: string): Said =>
      ask('systemd-analyze', ['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, '--no-pager', file]);
    const { code, out } = look(unit(same));
    expect(code, out).toBe(0);
    say(`systemd-analyze security: ${/exposure level for \S+: ([\d.]+)/.exec(out)?.[1] ?? 'no figure'} of 10`);
    expect(look(unit((text) => text.replace(/^SystemCallFilter=.*$/gm, ''))).code).not.toBe(0);
  });
});
