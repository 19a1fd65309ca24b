// The live page in a real Chromium, watched: what it logs, asks for and is forbidden to do is kept, so that a test can
// say in the end that there was nothing of it.
import { execFileSync } from 'node:child_process';
import axe from 'axe-core';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';
import { NODE, ROOT } from '../../support/program.ts';
import { browserCommand } from '../event-source/browser.ts';
import { figures, watchPolicy } from './in-page.ts';

/** Nothing of the browser's own goes out, and it runs where there is neither a GPU nor a user namespace. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const LAUNCH_WAIT_MS = 60_000;
/** A busy machine may take long over anything that a page does. */
const PAGE_WAIT_MS = 30_000;

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly hash?: string;
}

/** What the browser itself logs of a server that is away or refuses; no script can keep it from that. */
const OF_THE_NETWORK = /^Failed to load resource: /;

const COMMAND = browserCommand();

export function hasBrowser(): boolean {
  return COMMAND !== undefined;
}

export function startBrowser(): Promise<Browser> {
  if (COMMAND === undefined) throw new Error('there is no Chromium');
  const executablePath = execFileSync('which', [COMMAND], { encoding: 'utf8' }).trim();
  return chromium.launch({ executablePath, args: ARGS, timeout: LAUNCH_WAIT_MS });
}

/** Built when it is missing or older than its sources, as before `npm start`. */
export function buildPage(): void {
  execFileSync(NODE, ['src/cli/ensure-page.mjs'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

export class WatchedPage {
  readonly page: Page;
  readonly devtools: CDPSession;
  readonly #origin: string;
  readonly #faults: string[] = [];
  readonly #network: string[] = [];

  private constructor(page: Page, devtools: CDPSession, origin: string) {
    this.page = page;
    this.devtools = devtools;
    this.#origin = origin;
    page.on('console', (message) => {
      const type = message.type();
      if (type !== 'error' && type !== 'warning') return;
      const text = message.text();
      if (OF_THE_NETWORK.test(text)) this.#network.push(text);
      else this.#faults.push(`${type}: ${text}`);
    });
    page.on('pageerror', (error) => this.#faults.push(`thrown: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (new URL(url).origin !== origin && !url.startsWith('data:')) this.#faults.push(`asked for ${url}`);
    });
  }

  static async open(browser: Browser, adminUrl: string, look: Look = {}): Promise<WatchedPage> {
    const { width = 1280, height = 1000, scheme = 'light', hash = '' } = look;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      reducedMotion: 'reduce',
      locale: 'en-GB',
    });
    context.setDefaultTimeout(PAGE_WAIT_MS);
    const page = await context.newPage();
    const watched = new WatchedPage(page, await context.newCDPSession(page), new URL(adminUrl).origin);
    // Told to our side as well where a violation is not logged.
    await page.exposeFunction('tellViolation', (what: string) => watched.#faults.push(`policy: ${what}`));
    await page.addInitScript(watchPolicy);
    await page.goto(`${adminUrl}/${hash}`, { waitUntil: 'domcontentloaded' });
    return watched;
  }

  /** Errors, warnings, violations of the policy, and requests that left the origin. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /** What the browser logged of answers that did not come. */
  get networkFaults(): readonly string[] {
    return this.#network;
  }

  get origin(): string {
    return this.#origin;
  }

  /** Waits until the page says so of its connection. */
  async untilLink(word: string): Promise<void> {
    await this.page.locator(`main[data-link="${word}"]`).waitFor();
  }

  async text(selector: string): Promise<string> {
    return (await this.page.locator(selector).first().textContent())?.trim() ?? '';
  }

  /** Every figure of the page by its name, those of a class or another row behind the row's name. */
  async figures(): Promise<Record<string, string>> {
    return this.page.evaluate(figures);
  }

  /** Rules of axe that the page breaks seriously, each with the first place. Runs beside the page's own policy. */
  async seriousFaults(): Promise<string[]> {
    await this.devtools.send('Runtime.evaluate', { expression: axe.source });
    const { result, exceptionDetails } = await this.devtools.send('Runtime.evaluate', {
      expression: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => id + ' at ' + nodes.map(({ target }) => target.join(' ')).slice(0, 3).join(', ')))`,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`axe failed: ${exceptionDetails.exception?.description}`);
    return result.value as string[];
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
