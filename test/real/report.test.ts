// Goal: the page of a report works in a real browser as one file from a disk: its figures are those of its data, an
// exchange opens by keyboard, also one of 260,000 chunks, nothing is asked for, logged or forbidden, and axe finds
// nothing serious. Method: record files of built records, the real command, the built page, Chromium.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { measureRecord } from '../../src/measure/measure-record.ts';
import { count, msNumber, percent } from '../../src/page/format.ts';
import type { StreamRecord } from '../../src/record/stream-record.ts';
import type { ReportData } from '../../src/telemetry/report-data.ts';
import { NODE, ROOT } from '../support/program.ts';
import { buildRecord, read, texts } from '../support/record-builder.ts';
import { byTimer, hopRecord, steady } from '../unit/judge/hop/records.ts';
import { say } from './judge/missing.ts';
import { overflowPx } from './page/in-page.ts';
import { buildPage, hasBrowser, startBrowser } from './page/watched.ts';

const AT = 1_796_000_000_000;
const folder = mkdtempSync(join(tmpdir(), 'rubato-report-'));
const file = join(folder, 'report.html');
let browser: Browser;
let page: Page;
let data: ReportData;
const faults: string[] = [];

if (!hasBrowser())
  say(
    '!!!!!!!! NOT TESTED: a report in Chromium, which is not installed (Debian package chromium-headless-shell) !!!!!!!!',
  );

/** Numbered in the order in which they were opened, as by one process. */
function records(): StreamRecord[] {
  const usual = Array.from({ length: 120 }, (_, index) => {
    const reads = [
      read(50 + index, 'role'),
      ...texts(60 + index, 20, 30),
      read(700 + 4 * index, 'text finish'),
      read(1_200, 'done'),
    ];
    return { ...buildRecord({ reads }), id: `0.0-${index.toString(36)}`, openedAtEpochMs: AT + index * 500 };
  });
  const held = Array.from({ length: 8 }, (_, index) => ({
    ...hopRecord({ pieces: steady(25, 100), hop: byTimer(200) }),
    id: `0.0-h${index}`,
    edge: 'gateway',
    openedAtEpochMs: AT + 70_000 + index,
  }));
  const long = buildRecord({
    reads: [...texts(1_500, 0.05, 260_000), read(20_000, 'text finish'), read(20_001, 'done')],
  });
  return [...usual, ...held, { ...long, id: '0.0-z9', openedAtEpochMs: AT + 80_000 }];
}

async function open(
  hash = '',
  look: { readonly width?: number; readonly scheme?: 'light' | 'dark' } = {},
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1280, height: 900 },
    colorScheme: look.scheme ?? 'light',
  });
  page = await context.newPage();
  page.on('console', (message) => faults.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  const own = pathToFileURL(file).href;
  page.on('request', (request) => {
    if (!request.url().startsWith(own) && !request.url().startsWith('data:')) faults.push(`asked for ${request.url()}`);
  });
  await page.goto(`${own}${hash}`);
  await page.locator('#classes').waitFor();
}

beforeAll(async () => {
  if (!hasBrowser()) return;
  buildPage();
  const path = join(folder, 'records.jsonl');
  const lines = records().map((record) => `${JSON.stringify({ record, figures: measureRecord(record) })}\n`);
  writeFileSync(path, lines.join(''));
  execFileSync(NODE, ['src/main.ts', 'report', path, '--out', file, '--worst', '40'], { cwd: ROOT, stdio: 'ignore' });
  data = JSON.parse(/id="data">(.*)<\/script>/.exec(readFileSync(file, 'utf8'))?.[1] ?? '') as ReportData;
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  await page?.context().close();
  expect(faults.splice(0)).toEqual([]);
});

describe.skipIf(!hasBrowser())('the page of a report', () => {
  test('shows the figures of its data', async () => {
    await open();
    const [each] = data.classes;
    expect(each?.exchangeCount).toBe(121);
    const shown = async (name: string): Promise<string | undefined> =>
      (await page.locator(`tr[data-class="default"] [data-figure="${name}"]`).textContent())?.trim();
    expect(await shown('class.exchanges')).toBe(count(121));
    expect(await shown('class.ok')).toBe(percent(1));
    expect(await shown('class.ttft.p99')).toBe(msNumber(each?.ttft?.p99Ns));
    expect(await shown('class.gap.p99')).toBe(msNumber(each?.gap?.p99Ns));
    expect(await shown('class.gap.worst')).toBe(msNumber(each?.worst?.gapMaxNs));
    expect(await shown('class.stalls')).toBe(count(each?.stallCount));
    expect(await page.locator('[data-hop="gateway"] .tag').first().textContent()).toMatch(/^holds/);
    expect(await page.locator('#worst tbody tr').count()).toBe(40);
  });

  test('opens an exchange by keyboard, and Escape and the Back key close it', async () => {
    await open();
    const dialog = page.locator('dialog');
    const link = page.locator('#worst a').first();
    const id = await link.textContent();
    await link.focus();
    await page.keyboard.press('Enter');
    await dialog.locator('.waterfall').waitFor();
    expect(await dialog.locator('h2').textContent()).toBe(`Exchange ${id}`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await link.press('Enter');
    await dialog.waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
  });

  test('draws an exchange of 260,000 chunks, and looks closer where the reader drags', async () => {
    await open('#/stream/0.0-z9');
    const dialog = page.locator('dialog');
    const chart = dialog.locator('.arrival .plot').first();
    expect(await dialog.locator('[data-figure="exchange.chunks"]').textContent()).toBe(count(260_002));
    expect(await chart.getAttribute('aria-label')).toContain('bytes over 20');
    const area = await chart.locator('.u-over').boundingBox();
    if (area === null) throw new Error('no chart');
    const across = area.y + area.height / 2;
    const axis = chart.locator('canvas');
    const before = await axis.screenshot();
    await page.mouse.move(area.x + 0.3 * area.width, across);
    await page.mouse.down();
    await page.mouse.move(area.x + 0.4 * area.width, across, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(0, 0);
    await expect.poll(async () => before.equals(await axis.screenshot())).toBe(false);
    await chart.locator('.u-over').dblclick();
    await page.mouse.move(0, 0);
    await expect.poll(async () => before.equals(await axis.screenshot())).toBe(true);
  });

  test('reads its heatmap out by the arrow keys', async () => {
    await open();
    const map = page.locator('.heatmap');
    await map.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowUp');
    expect(await map.locator('.readout').textContent()).toMatch(/^\d\d:\d\d:\d\d, .*: (not seen|[\d\u202f]+ gaps?)$/);
  });

  test.each([
    { scheme: 'light', width: 1280, hash: '' },
    { scheme: 'dark', width: 360, hash: '' },
    { scheme: 'dark', width: 1280, hash: '#/stream/0.0-h0' },
    { scheme: 'light', width: 360, hash: '#/stream/0.0-h0' },
  ] as const)('has no serious fault in $scheme at $width px $hash', async ({ scheme, width, hash }) => {
    await open(hash, { scheme, width });
    // What scrolls in itself becomes a stop of the Tab key a second after it was laid out.
    await page.waitForTimeout(1_500);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Runtime.evaluate', { expression: axe.source });
    const { result } = await devtools.send('Runtime.evaluate', {
      expression: `axe.run().then(({ violations }) => violations.map(({ impact, id, nodes }) => impact + ' ' + id + ' ' + nodes[0].html))`,
      awaitPromise: true,
      returnByValue: true,
    });
    expect(result.value).toEqual([]);
    expect(await page.evaluate(overflowPx)).toBe(0);
  });
});
