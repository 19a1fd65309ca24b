// Goal: the page's files come as they were built, compressed for who can read it, to keep only where a name says what
// is in them, and nothing else of the disk comes at all. Method: a built page of a few bytes in a folder of its own, and
// once the port itself before it, whose main thread has no answers.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { PAGE_FILE_MAX_BYTES, PAGE_FILES_MAX_COUNT } from '../../../src/base/live-limits.ts';
import { startAdmin } from '../../../src/telemetry/admin.ts';
import type { AdminData } from '../../../src/telemetry/admin-answers.ts';
import { PAGE_POLICY, PageFiles } from '../../../src/telemetry/page-files.ts';
import { catchLog } from './reports.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubato-page-'));
afterAll(() => rmSync(folder, { recursive: true }));

const HTML = '<!doctype html><title>rubato</title>';
const SCRIPT = 'console.log("a page");'.repeat(20);

function build(name: string, files: Readonly<Record<string, string>>): PageFiles {
  const place = join(folder, name);
  mkdirSync(join(place, 'assets'), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(place, path), text);
  return new PageFiles(place);
}

const page = build('usual', {
  'index.html': HTML,
  'inputs.json': '{}',
  'licenses.md': '# What others wrote',
  'assets/index-A1.js': SCRIPT,
  'assets/index-A1.js.map': '{}',
});

test('the document comes with a policy that lets nothing run but the files beside it, and is not kept', async () => {
  const answer = await page.answerTo('/', undefined);
  expect([answer?.status, Buffer.from(answer?.body ?? []).toString()]).toEqual([200, HTML]);
  expect(answer?.fields).toEqual({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    vary: 'accept-encoding',
  });
});

test('the licences of what others wrote come with it', async () => {
  const answer = await page.answerTo('/licenses.md', undefined);
  expect(Buffer.from(answer?.body ?? []).toString()).toBe('# What others wrote');
  expect(answer?.fields['content-type']).toBe('text/plain; charset=utf-8');
});

test('a file whose name holds a hash may be kept for ever', async () => {
  const answer = await page.answerTo('/assets/index-A1.js', undefined);
  expect(answer?.fields).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
});

test.each([
  ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
  ['GZIP;q=0.5', 'gzip', gunzipSync],
  ['br;q=0, gzip', 'gzip', gunzipSync],
  ['br;q=0.001', 'br', brotliDecompressSync],
])('who accepts %j gets %s', async (accepted, coding, read) => {
  const answer = await page.answerTo('/assets/index-A1.js', accepted);
  expect(answer?.fields['content-encoding']).toBe(coding);
  expect(read(answer?.body ?? new Uint8Array()).toString()).toBe(SCRIPT);
  expect(answer?.body.length).toBeLessThan(SCRIPT.length);
});

test.each([undefined, '', 'identity', 'zstd', 'br;q=0, gzip;q=0.0', '*'])(
  'who accepts %j gets it plain',
  async (accepted) => {
    const answer = await page.answerTo('/assets/index-A1.js', accepted);
    expect(answer?.fields).not.toHaveProperty('content-encoding');
    expect(Buffer.from(answer?.body ?? []).toString()).toBe(SCRIPT);
  },
);

test.each([
  '/index.html',
  '/inputs.json',
  '/assets',
  '/assets/',
  '/assets/index-A1.js.map',
  '/assets/../inputs.json',
  '/assets/%2e%2e/inputs.json',
  '/assets/./index-A1.js',
  '//assets/index-A1.js',
  '/ASSETS/index-A1.js',
  '/etc/passwd',
])('%s is none of the page', async (path) => {
  expect(await page.answerTo(path, undefined)).toBeUndefined();
});

test('where nothing was built the document says how to build it, and there is nothing else', async () => {
  const none = new PageFiles(join(folder, 'nowhere'));
  const answer = await none.answerTo('/', 'gzip');
  expect([answer?.status, answer?.fields['content-type']]).toEqual([503, 'text/plain; charset=utf-8']);
  expect(Buffer.from(answer?.body ?? []).toString()).toContain('`npm run build:page`');
  expect(await none.answerTo('/assets/index-A1.js', undefined)).toBeUndefined();
});

test('files are as many and as large as a page may have', async () => {
  const names = Array.from(
    { length: PAGE_FILES_MAX_COUNT + 1 },
    (_, index) => `assets/a${String(index).padStart(3, '0')}.js`,
  );
  const many = build('many', {
    'index.html': HTML,
    ...Object.fromEntries(names.map((name) => [name, ''])),
    'assets/a000.js': 'x'.repeat(PAGE_FILE_MAX_BYTES + 1),
  });
  const found = await Promise.all(names.map(async (name) => (await many.answerTo(`/${name}`, undefined))?.status ?? 0));
  expect([found[0], found[1], found.at(-2), found.at(-1)]).toEqual([0, 200, 200, 0]);
});

test('the port serves them without its main thread, with the fields that all its answers have', async () => {
  const admin = await startAdmin({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    data: {} as AdminData,
    live: { events: () => ({}) },
    pageFolder: join(folder, 'usual'),
    pulses: [],
    log: catchLog(),
  });
  const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${admin.port}${path}`, { method });
  const [document, script] = [await ask('/?view=gaps'), await ask('/assets/index-A1.js')];
  expect([document.status, await document.text()]).toEqual([200, HTML]);
  expect([script.status, await script.text()]).toEqual([200, SCRIPT]);
  expect(document.headers.get('content-security-policy')).toBe(PAGE_POLICY);
  expect(document.headers.get('cache-control')).toBe('no-store');
  expect(script.headers.get('cache-control')).toContain('immutable');
  for (const { headers } of [document, script]) {
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  }
  expect((await ask('/assets/other.js')).status).toBe(404);
  const head = await ask('/', 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
  await admin.close();
});
