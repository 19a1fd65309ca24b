// Goal: TLS of the listener is a good pair of files or a fault that says which file is wrong, before anything starts.
// Method: the pairs of the wire tests by their paths, mixed, missing and alone.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { pemPath } from '../../support/certificates.ts';

function load(flags: Readonly<Record<string, string>>) {
  return loadConfig({
    flags: { upstream: 'http://127.0.0.1:1', ...flags },
    env: {},
    execArgv: [],
    platform: 'linux',
    readFile: (path) => readFileSync(path, 'utf8'),
    checks: [],
  });
}

test('a pair is kept by its paths, and its texts are not', () => {
  const files = { 'tls-cert': pemPath('engine.crt.pem'), 'tls-key': pemPath('engine.key.pem') };
  const loaded = load(files);
  expect('config' in loaded && loaded.config.listenTls).toEqual({
    certPath: files['tls-cert'],
    keyPath: files['tls-key'],
  });
  expect(JSON.stringify(loaded)).not.toContain('PRIVATE KEY');
});

test.each([
  ['a certificate alone', { 'tls-cert': pemPath('engine.crt.pem') }, [/--tls-cert and --tls-key need each other/]],
  ['a key alone', { 'tls-key': pemPath('engine.key.pem') }, [/--tls-cert and --tls-key need each other/]],
  [
    "somebody else's key",
    { 'tls-cert': pemPath('engine.crt.pem'), 'tls-key': pemPath('stranger.key.pem') },
    [/--tls-cert .*--tls-key .*the key does not belong to the certificate/],
  ],
  [
    'a key for a certificate',
    { 'tls-cert': pemPath('engine.key.pem'), 'tls-key': pemPath('engine.key.pem') },
    [/holds no PEM certificate/],
  ],
  [
    'files that are not there',
    { 'tls-cert': '/nowhere.crt', 'tls-key': '/nowhere.key' },
    [/--tls-cert: cannot read \/nowhere\.crt/, /--tls-key: cannot read \/nowhere\.key/],
  ],
])('%s is refused', (_what, flags, faults) => {
  const loaded = load(flags);
  expect('faults' in loaded && loaded.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
});

test.each([
  ['max-rss', 'auto', 'auto'],
  ['max-rss', 'off', undefined],
  ['max-rss', '1GiB', 1024 ** 3],
] as const)('%s %s', (name, text, value) => {
  const loaded = load({ [name]: text });
  expect('config' in loaded && loaded.config.admission.maxRssBytes).toBe(value);
});

test.each([
  ['max-rss', '64MiB'],
  ['max-rss', 'on'],
  ['max-streams', '0'],
  ['max-connections', '-1'],
  ['upload-rate-min', '0'],
])('%s %s is refused', (name, text) => {
  const loaded = load({ [name]: text });
  expect('faults' in loaded && loaded.faults).toEqual([expect.stringContaining(`--${name}`)]);
});

test('a speed of uploads can be off', () => {
  const loaded = load({ 'upload-rate-min': 'off' });
  expect('config' in loaded && loaded.config.admission.uploadRateMinBytes).toBeUndefined();
});
