// Goal: in a real browser the live page shows what the sidecar knows, as it happens, and lives through what happens to
// the sidecar. Method: Chromium before a real sidecar and a reference engine whose work is scripted; figures are held
// against `/api/summary` by the page's own formats. Nothing is logged, and nothing leaves the origin, in any of it.
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { count, msNumber, percent } from '../../src/page/format.ts';
import { configFile } from '../support/config-file.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';
import { setHidden } from './page/in-page.ts';
import { OBJECTIVES, PROMPT, type Load } from './page/load.ts';
import { usePages } from './page/use-pages.ts';
import { hasBrowser } from './page/watched.ts';

const WATCHERS_MAX_COUNT = 16;
const pages = usePages();

/** Connections to the feed that are nobody's page. */
async function watchers(load: Load, howMany: number): Promise<() => void> {
  const open = Array.from({ length: howMany }, () => request(`${load.adminUrl}/api/live`));
  await Promise.all(
    open.map((each) => {
      const begun = new Promise((resolve) =>
        each.on('response', (response) => response.once('data', resolve).on('error', () => undefined)),
      );
      each.on('error', () => undefined).end();
      return begun;
    }),
  );
  return () => {
    for (const each of open) each.destroy();
  };
}

describe.skipIf(!hasBrowser())('the live page', () => {
  test('shows the figures of /api/summary, and nothing of what was asked', async () => {
    const load = await pages.start({ args: ['--config', configFile(OBJECTIVES)] });
    const { page } = await pages.open(load);
    await load.play();
    const { classes } = await load.summary();
    const [each] = classes;
    expect([classes.length, each?.exchangeCount]).toEqual([1, 24]);
    const okCount = each?.outcomeCounts.ok ?? 0;
    await page
      .locator(`tr[data-class="default"] [data-figure="class.exchanges"]`)
      .filter({ hasText: /^24$/ })
      .waitFor();
    const shown = await pages.all[0]!.figures();
    expect(shown).toMatchObject({
      'default/class.exchanges': count(24),
      'default/class.ok': percent(okCount / 24),
      'default/class.ttft.p50': msNumber(each?.ttft?.p50Ns),
      'default/class.ttft.p95': msNumber(each?.ttft?.p95Ns),
      'default/class.ttft.p99': msNumber(each?.ttft?.p99Ns),
      'default/class.ttft-at.p50': msNumber(each?.ttftAt?.p50?.ttftNs),
      'default/class.ttft-at.p95': msNumber(each?.ttftAt?.p95?.ttftNs),
      'default/class.tpot.p50': msNumber(each?.tpot?.p50Ns),
      'default/class.gap.p50': msNumber(each?.gap?.p50Ns),
      'default/class.gap.p99': msNumber(each?.gap?.p99Ns),
      'default/class.gap.worst': msNumber(each?.worst?.gapMaxNs),
      'default/class.stalls': count(each?.stallCount),
      'streams.open': count(0),
    });
    // What is known is no dash, and too few values for a p99 are one.
    expect([shown['default/class.ttft.p95'], shown['default/class.ttft.p99']]).toEqual([
      expect.stringMatching(/^\d/),
      '–',
    ]);
    expect((await page.content()).includes(PROMPT)).toBe(false);
    expect(pages.all[0]!.faults).toEqual([]);
  });

  test('shows a stall while it happens, and afterwards who made it', async () => {
    const load = await pages.start();
    const { page } = await pages.open(load);
    const played = load.playStall();
    const row = page.locator('[data-stream="0.0-0"]');
    await row.filter({ hasText: /^(?!.*stall).*silent for [\d.]+\ss/s }).waitFor();
    expect(await row.locator('.cell-word').textContent()).toBe('silent');
    await row.locator('.cell-stalls').filter({ hasText: 'prefill interference' }).waitFor();
    // By then the stream goes on.
    expect(await row.locator('.cell-word').textContent()).not.toBe('silent');
    await played;
    await row.locator('.cell-word').filter({ hasText: 'ok' }).waitFor();
    expect(await row.locator('.cell-strip').getAttribute('title')).toMatch(/1 stall\b.*prefill interference/s);
    expect(pages.all[0]!.faults).toEqual([]);
  });

  test('opens an exchange by click and by keyboard; Back, Escape and its button close it', async () => {
    const load = await pages.start();
    await load.play();
    const { page } = await pages.open(load);
    const link = page.locator('[data-stream] .cell-id a').first();
    const id = (await link.textContent())?.trim() ?? '';
    const dialog = page.locator('dialog[open]');
    await link.click();
    await dialog.locator('[data-figure="exchange.chunks"]').waitFor();
    expect(new URL(page.url()).hash).toBe(`#/stream/${encodeURIComponent(id)}`);
    const report = JSON.parse((await load.sidecar.admin(`/api/streams/${id}`)).text) as {
      readonly figures: { readonly ttftNs?: number };
      readonly record: { readonly response: { readonly chunkCount: number } };
    };
    expect(await dialog.locator('[data-figure="exchange.chunks"]').textContent()).toBe(
      count(report.record.response.chunkCount),
    );
    expect(await dialog.locator('[data-figure="exchange.TTFT"]').textContent()).toContain(
      msNumber(report.figures.ttftNs),
    );
    expect(await dialog.textContent()).not.toContain(PROMPT);
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });

    await link.focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // Whoever came by keyboard is where he was.
    expect(await page.locator(':focus').textContent()).toContain(id);
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    // The address leads there as well.
    const direct = await pages.open(load, { hash: `#/stream/${encodeURIComponent(id)}` });
    await direct.page.locator('dialog[open] [data-figure="exchange.chunks"]').waitFor();
    expect(pages.all.flatMap(({ faults }) => faults)).toEqual([]);
  });

  test('opens an exchange that is still under way', async () => {
    const load = await pages.start();
    const { page } = await pages.open(load);
    const leave = new AbortController();
    const stream = load.ask({ promptTokens: 40, outputTokens: 5_000, signal: leave.signal });
    await page.locator('[data-stream="0.0-0"] .cell-id a').click();
    await page.locator('dialog[open] [data-figure="exchange.age"]').waitFor();
    leave.abort();
    await stream;
    expect(pages.all[0]!.faults).toEqual([]);
  });

  test('goes on by itself when the sidecar is restarted on the same port, and says so', async () => {
    const load = await pages.start();
    await load.play();
    const watched = await pages.open(load);
    await watched.page.locator('[data-stream]').first().waitFor();
    await watched.page.evaluate(() => Object.assign(globalThis, { isTheSame: true }));
    const { adminPort } = load.sidecar;
    await load.sidecar.stop();
    await watched.untilLink('lost');
    // What was seen last still stands there.
    expect(await watched.page.locator('[data-stream]').count()).toBeGreaterThan(0);
    expect(await watched.text('[data-banner="lost"]')).toMatch(
      /The sidecar does not answer since .* goes on by itself/s,
    );
    load.sidecar = await Sidecar.start({
      upstream: load.engine.url,
      args: ['--admin', `127.0.0.1:${adminPort}`],
    });
    await watched.untilLink('live');
    await watched.page.locator('[data-banner="restarted"]').waitFor();
    expect(await watched.page.locator('[data-stream]').count()).toBe(0);
    expect(await watched.page.evaluate(() => 'isTheSame' in globalThis)).toBe(true);
    expect(watched.faults).toEqual([]);
    // The browser itself tells of a connection that broke off and of those refused; nothing else did.
    expect(watched.networkFaults.filter((text) => !/net::ERR_/.test(text))).toEqual([]);
  });

  test('lets go of the feed while nobody looks', async () => {
    const load = await pages.start();
    const watched = await pages.open(load);
    await watched.untilLink('live');
    const leave = await watchers(load, WATCHERS_MAX_COUNT - 1);
    // Every place is taken, the page's own among them.
    expect((await load.sidecar.admin('/api/live')).status).toBe(503);
    await watched.page.evaluate(setHidden, true);
    await watched.untilLink('paused');
    await poll('the place to be free', async () => {
      const free = await watchers(load, 1);
      free();
      return true;
    });
    await watched.page.evaluate(setHidden, false);
    await watched.untilLink('live');
    leave();
    expect(watched.faults).toEqual([]);
  });

  test('says that too many watch, and comes in when there is room', async () => {
    const load = await pages.start();
    const leave = await watchers(load, WATCHERS_MAX_COUNT);
    const watched = await pages.open(load);
    await watched.untilLink('refused');
    expect(await watched.text('[data-banner="refused"]')).toMatch(
      /As many pages and terminals watch this sidecar as it lets/,
    );
    leave();
    await watched.untilLink('live');
    expect(watched.faults).toEqual([]);
    expect(watched.networkFaults.filter((text) => !/503/.test(text))).toEqual([]);
  });

  test('says that the sidecar is busy, and that it is no more', async () => {
    const blockMs = 9_000;
    const load = await pages.start({
      nodeArgs: ['--import', new URL('../support/block-main.ts', import.meta.url).pathname],
      env: { TEST_BLOCK_MS: String(blockMs) },
    });
    const watched = await pages.open(load);
    await watched.untilLink('live');
    process.kill(load.sidecar.pid, 'SIGUSR2');
    await watched.untilLink('busy');
    expect(await watched.text('[data-banner="busy"]')).toContain('Streams are not touched by that');
    await watched.untilLink('live');
    expect(watched.faults).toEqual([]);
  });

  test('that has seen nothing yet says how to send a request, and shows the first one without a reload', async () => {
    const load = await pages.start();
    const watched = await pages.open(load);
    await watched.page.locator('[data-state="empty"]').waitFor();
    expect(await watched.text('[data-first-request]')).toContain(`:${load.sidecar.listenPort}/v1/chat/completions`);
    await load.ask({ promptTokens: 40, outputTokens: 10 });
    await watched.page.locator('[data-stream="0.0-0"]').waitFor();
    expect(await watched.page.locator('[data-state="empty"]').count()).toBe(0);
    expect(watched.faults).toEqual([]);
  });
});
