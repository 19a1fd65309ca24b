// Goal: nobody is kept from using the live page, and it costs little to load. Method: axe's rules, in a real browser, in
// each of the page's states, in both schemes and on a phone; the bytes that the browser counted.
import { describe, expect, test } from 'vitest';
import { configFile } from '../support/config-file.ts';
import { sleep } from '../support/signal.ts';
import { say } from './judge/missing.ts';
import { cutPx, encodedBytes, overflowPx } from './page/in-page.ts';
import { OBJECTIVES } from './page/load.ts';
import { usePages } from './page/use-pages.ts';
import { hasBrowser, type Look, type WatchedPage } from './page/watched.ts';

/** What the whole page may weigh on the wire. */
const PAGE_MAX_BYTES = 150 * 1024;
const pages = usePages();

describe.skipIf(!hasBrowser())('nobody is kept from using it', () => {
  const LOOKS: readonly (Look & { readonly name: string })[] = [
    { name: 'in the light', scheme: 'light' },
    { name: 'in the dark', scheme: 'dark' },
    { name: 'on a phone', width: 360, height: 740 },
    { name: 'on a phone in the dark', width: 360, height: 740, scheme: 'dark' },
  ];

  test('by axe’s rules, in every state and look, and a phone needs no scrolling to the side', async () => {
    const load = await pages.start({ args: ['--config', configFile(OBJECTIVES)] });
    const found: unknown[] = [];
    const look = async (what: string, watched: WatchedPage): Promise<void> => {
      // What scrolls becomes a stop of the Tab key within a second of being there.
      if ((await watched.seriousFaults()).length > 0) await sleep(2_000);
      const [serious, overflow] = [await watched.seriousFaults(), await watched.page.evaluate(overflowPx)];
      if (serious.length > 0 || overflow > 0) found.push({ what, serious, overflow });
    };
    for (const { name, ...each } of LOOKS) {
      const watched = await pages.open(load, each);
      await watched.page.locator('[data-state="empty"]').waitFor();
      await look(`empty ${name}`, watched);
    }
    await load.play();
    await load.playStall();
    for (const [at, { name }] of LOOKS.entries()) {
      const watched = pages.all[at]!;
      await watched.page.locator('[data-stream]').first().waitFor();
      await look(`full ${name}`, watched);
      await watched.page.locator('[data-stream] .cell-id a').first().click();
      await watched.page.locator('dialog[open] [data-figure="exchange.chunks"]').waitFor();
      await look(`one exchange ${name}`, watched);
      await watched.page.goBack();
    }
    await load.sidecar.stop();
    for (const [at, { name }] of LOOKS.entries()) {
      await pages.all[at]!.untilLink('lost');
      await look(`lost ${name}`, pages.all[at]!);
    }
    expect(found).toEqual([]);
    expect(pages.all.flatMap(({ faults }) => faults)).toEqual([]);
  });
});

describe.skipIf(!hasBrowser())('a laptop', () => {
  test('shows each stream as far as to who made its stall, without scrolling to the side', async () => {
    const load = await pages.start();
    const { page } = await pages.open(load, { width: 1_280 });
    const played = load.playStall();
    const cause = page.locator('[data-stream="0.0-0"] .cell-stalls').filter({ hasText: 'prefill interference' });
    await cause.waitFor();
    expect(await cause.evaluate(cutPx)).toBe(0);
    expect(await page.locator('.streams-table').evaluate(cutPx)).toBe(0);
    await played;
  });
});

describe.skipIf(!hasBrowser())('what the page costs', () => {
  test('is below 150 KiB on the wire, all of it from its own origin, and once', async () => {
    const load = await pages.start();
    const { page } = await pages.open(load);
    await pages.all[0]!.untilLink('live');
    // Whatever it loads later, it loads now.
    await sleep(1_000);
    const bytes = await page.evaluate(encodedBytes);
    say(`the page takes ${(bytes / 1024).toFixed(1)} KiB on the wire`);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(PAGE_MAX_BYTES);
    expect(pages.all[0]!.faults).toEqual([]);
  });
});
