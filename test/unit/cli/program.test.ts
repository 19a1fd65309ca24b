// Goal: the command line teaches, and says plainly what is wrong with it, with the promised exit code.
// Method: whole command lines in this process, output kept; none of them gets as far as a socket.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { KEY_NAMES, envName, flagName } from '../../../src/config/keys.ts';
import { runCli } from './fake-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubato-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('help', () => {
  test('of the program names the commands, examples and exit codes', async () => {
    const { exitCode, out } = await runCli(['--help']);
    expect(exitCode).toBe(0);
    for (const part of ['serve', 'demo', 'replay', 'Examples:', 'Exit codes:', '64', '69']) expect(out).toContain(part);
  });

  test('of serve names every flag with its variable and its default', async () => {
    const { exitCode, out } = await runCli(['serve', '--help']);
    const words = out.replace(/\s+/g, ' ');
    expect(exitCode).toBe(0);
    for (const name of KEY_NAMES) {
      expect(words).toContain(flagName(name));
      expect(words).toContain(envName(name));
    }
    expect(words).toContain('--upstream <URL>');
    expect(words).toContain('Default 127.0.0.1:8080.');
  });

  test.each(['demo', 'replay'])('of %s shows examples', async (command) => {
    const { exitCode, out } = await runCli([command, '--help']);
    expect(exitCode).toBe(0);
    expect(out).toContain('Examples:');
  });

  test('is shown when no command is given, as a wrong command line', async () => {
    const { exitCode, err } = await runCli([]);
    expect(exitCode).toBe(64);
    expect(err).toContain('Usage: rubato');
  });
});

test('the version is that of the package', async () => {
  expect(await runCli(['--version'])).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
  });
});

describe('a wrong command line', () => {
  test('with a misspelt command gets a guess', async () => {
    const { exitCode, err } = await runCli(['serv']);
    expect(exitCode).toBe(64);
    expect(err).toContain('Did you mean serve?');
    expect(err).toContain('rubato --help');
  });

  test('of serve lists everything at once: flags, values, variables, file', async () => {
    const config = file('a.yaml', 'drian: 5\n');
    const args = ['serve', '--upstrem', 'http://a', '--relays', 'two', '--listen', '--config', config, 'stray'];
    const { exitCode, err, out } = await runCli(args, {
      RUBATO_CHUNKS: 'some',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere',
    });
    expect(exitCode).toBe(64);
    expect(out).toBe('');
    const faults = err.split('\n').filter((line) => line.startsWith('  - '));
    expect(faults.map((line) => line.slice(4))).toEqual([
      `${config}, line 1: there is no key "drian". Did you mean "drain"?`,
      '--listen needs a value: --listen HOST:PORT.',
      '--relays: "two" is not a whole number from 1 to 64.',
      'RUBATO_CHUNKS: "some" is not one of all, kept, off.',
      expect.stringContaining('There is no upstream to forward to.'),
      'There is no flag --upstrem. Did you mean "--upstream"?',
      '"stray" belongs to no flag. serve takes flags only.',
      expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT is "nowhere"'),
    ]);
    expect(err.split('\n')[0]).toBe('rubato did not start, because 8 things are wrong with its configuration:');
  });

  test('of demo names the flag', async () => {
    const { exitCode, err } = await runCli(['demo', '--seconds', '0', '--seed', 'x']);
    expect(exitCode).toBe(64);
    expect(err).toContain('--seconds: "0" is not a whole number from 1 to 3600.');
    expect(err).toContain('--seed: "x" is not a whole number');
  });

  test('of demo with a flag it has not', async () => {
    const { exitCode, err } = await runCli(['demo', '--kep']);
    expect(exitCode).toBe(64);
    expect(err).toContain("unknown option '--kep'");
  });

  test('of replay without a file', async () => {
    expect((await runCli(['replay'])).exitCode).toBe(64);
  });
});
