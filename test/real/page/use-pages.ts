// Pages and what they are pages of, for one test file: opened on demand, closed after each test.
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { SidecarOptions } from '../../support/sidecar.ts';
import { say } from '../judge/missing.ts';
import { Load } from './load.ts';
import { buildPage, hasBrowser, startBrowser, WatchedPage, type Look } from './watched.ts';

export interface Pages {
  /** In the order in which they were opened. */
  readonly all: readonly WatchedPage[];
  /** A sidecar before an engine, without any traffic. */
  start(options?: Partial<SidecarOptions>): Promise<Load>;
  open(load: Load, look?: Look): Promise<WatchedPage>;
}

/** To be called at the top of a test file; `hasBrowser` says whether its tests can run. */
export function usePages(): Pages {
  if (!hasBrowser())
    say(
      '!!!!!!!! NOT TESTED: the live page in Chromium, which is not installed (Debian package chromium-headless-shell) !!!!!!!!',
    );
  let browser: Browser | undefined;
  const all: WatchedPage[] = [];
  const loads: Load[] = [];
  beforeAll(async () => {
    if (!hasBrowser()) return;
    buildPage();
    browser = await startBrowser();
  });
  afterAll(async () => browser?.close());
  afterEach(async () => {
    for (const page of all.splice(0)) await page.close();
    for (const load of loads.splice(0)) await load.stop();
  });
  return {
    all,
    async start(options = {}) {
      const load = await Load.start(options);
      loads.push(load);
      return load;
    },
    async open(load, look = {}) {
      if (browser === undefined) throw new Error('there is no Chromium');
      const page = await WatchedPage.open(browser, load.adminUrl, look);
      all.push(page);
      return page;
    },
  };
}
