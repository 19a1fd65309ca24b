// Goal: the live page stands what nobody planned: a name as long as may be, a configuration that changed under it, an
// address that somebody typed, colours that the reader's system chooses. Method: a real browser before a real sidecar.
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configFile } from '../support/config-file.ts';
import { ROOT } from '../support/program.ts';
import { Sidecar } from '../support/sidecar.ts';
import { backgrounds, overflowPx } from './page/in-page.ts';
import { usePages } from './page/use-pages.ts';
import { hasBrowser } from './page/watched.ts';

const LONGEST_NAME = 'a'.repeat(64);
const SHORT = { promptTokens: 40, outputTokens: 10 };
const pages = usePages();

function classes(...names: readonly string[]): string {
  return `classes:\n${names.map((name) => `  - { name: ${name} }\n`).join('')}`;
}

describe.skipIf(!hasBrowser())('the live page', () => {
  test('needs no scrolling to the side on the narrowest of phones, whatever a class is called', async () => {
    const load = await pages.start({ args: ['--config', configFile(classes(LONGEST_NAME))] });
    const { page } = await pages.open(load, { width: 320, height: 640 });
    await load.ask({ ...SHORT, className: LONGEST_NAME });
    await load.ask(SHORT);
    await page.locator('header option', { hasText: LONGEST_NAME }).waitFor({ state: 'attached' });
    expect(await page.evaluate(overflowPx)).toBe(0);
    expect(pages.all[0]!.faults).toEqual([]);
  });

  test('that shows one class only lets go of it where a restarted sidecar knows it no more', async () => {
    const load = await pages.start({ args: ['--config', configFile(classes('night'))] });
    const watched = await pages.open(load);
    await load.ask({ ...SHORT, className: 'night' });
    await load.ask(SHORT);
    const choice = watched.page.locator('header select');
    await choice.selectOption('night');
    const { adminPort } = load.sidecar;
    await load.sidecar.stop();
    await watched.untilLink('lost');
    load.sidecar = await Sidecar.start({ upstream: load.engine.url, args: ['--admin', `127.0.0.1:${adminPort}`] });
    await watched.untilLink('live');
    await load.ask(SHORT);
    // Nothing of that class, and it says why.
    await watched.page.locator('.streams-counts').waitFor();
    expect(await watched.page.locator('[data-stream]').count()).toBe(0);
    expect(await choice.inputValue()).toBe('night');
    await choice.selectOption('');
    await watched.page.locator('[data-stream="0.0-0"]').waitFor();
    expect(watched.faults).toEqual([]);
  });

  test('learns what a reload changed while it is open', async () => {
    const path = configFile(classes('night'));
    const load = await pages.start({ args: ['--config', path] });
    const watched = await pages.open(load);
    await load.ask(SHORT);
    await watched.page.locator('[data-stream]').first().waitFor();
    const link = watched.page.getByRole('link', { name: 'Dashboards' });
    expect(await link.count()).toBe(0);
    writeFileSync(path, `${classes('night')}dashboard-url: http://127.0.0.1:9/d\n`);
    process.kill(load.sidecar.pid, 'SIGHUP');
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe('http://127.0.0.1:9/d');
    expect(watched.faults).toEqual([]);
  });

  test('takes any address that somebody typed', async () => {
    const load = await pages.start();
    await load.ask(SHORT);
    for (const hash of ['#1', '#.', '#%', '#/stream/%', '#classes']) {
      const watched = await pages.open(load, { hash });
      await watched.page.locator('[data-stream]').first().waitFor();
      expect(await watched.page.locator('dialog[open]').count()).toBe(0);
    }
    expect(pages.all.flatMap(({ faults }) => faults)).toEqual([]);
  });

  test('keeps what is drawn by colour alone where the system chooses the colours', async () => {
    const load = await pages.start();
    await load.ask(SHORT);
    const { page } = await pages.open(load);
    await page.locator('.part-piece').first().waitFor();
    const inOwnColours = await page.evaluate(backgrounds, '.part-piece, .swatch');
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await page.evaluate(backgrounds, '.part-piece, .swatch')).toEqual(inOwnColours);
    // Well is filled and not well is a ring, in any colours.
    const [dot] = await page.evaluate(backgrounds, '.dot.good');
    expect(dot).not.toBe(await page.evaluate(backgrounds, 'body').then(([paper]) => paper));
    expect(pages.all[0]!.faults).toEqual([]);
  });

  test('says nothing of the machine that it was built on, here where NODE_ENV is not production', async () => {
    expect(process.env['NODE_ENV']).not.toBe('production');
    const load = await pages.start();
    const { text: html } = await load.sidecar.admin('/');
    const assets = [...html.matchAll(/"\.(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.some((path) => path.endsWith('.js'))).toBe(true);
    const texts = await Promise.all(assets.map(async (path) => (await load.sidecar.admin(path)).text));
    expect(texts.filter((text) => text.includes(ROOT) || text.includes('src/page'))).toEqual([]);
  });
});
