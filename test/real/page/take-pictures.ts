// `npm run pictures`: takes the pictures of the README, .github/pictures/*.png. A sidecar with a made-up load is looked
// at by a real Chromium: two classes with objectives, long prompts among short ones, and a gateway that holds text.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startMix, type MixClass } from '../../../src/client/mix.ts';
import { SMALL_MODEL, type EngineModel } from '../../../src/client/reference-engine/model.ts';
import { startReferenceEngine } from '../../../src/client/reference-engine/start.ts';
import { configFile } from '../../support/config-file.ts';
import { Gateway } from '../../support/gateway.ts';
import { ROOT } from '../../support/program.ts';
import { Sidecar } from '../../support/sidecar.ts';
import { sleep } from '../../support/signal.ts';
import { canOpenTerminals, Terminal, type Cell } from '../../support/terminal.ts';
import { buildPage, startBrowser, WatchedPage } from './watched.ts';

const FOLDER = join(ROOT, '.github/pictures');
/** A README is read on slow lines as well. */
const PICTURE_MAX_BYTES = 300_000;
/** Until the heatmap and the strips have something to show. */
const LOAD_MS = Number(process.env['RUBATO_PICTURES_SECONDS'] ?? '100') * 1_000;
const MS = 1_000_000;
const MODEL_NAME = 'llama-3.1-8b';

/** Steps of some 35 ms; now and then the host stands still, and long prompts are read among the steps of streams. */
const MODEL: EngineModel = {
  ...SMALL_MODEL,
  maxRunning: 24,
  stepBaseNs: 32 * MS,
  host: { everySteps: 400, lowestNs: 220 * MS, highestNs: 320 * MS, requestNs: 0 },
};
const CLASSES: readonly MixClass[] = [
  {
    name: 'interactive',
    perSecond: 1.1,
    promptTokens: { lowest: 20, highest: 400 },
    outputTokens: { lowest: 150, highest: 1_200 },
    abortRatio: 0.04,
  },
  {
    name: 'batch',
    perSecond: 0.15,
    promptTokens: { lowest: 4_000, highest: 12_000 },
    outputTokens: { lowest: 300, highest: 900 },
    abortRatio: 0,
  },
];
/** Some go through a gateway that lets go of text every 120 ms. */
const THROUGH_GATEWAY: readonly MixClass[] = [
  {
    name: 'interactive',
    perSecond: 0.35,
    promptTokens: { lowest: 20, highest: 100 },
    outputTokens: { lowest: 150, highest: 300 },
    abortRatio: 0,
  },
];
const CONFIG = `
classes:
  - name: interactive
    objectives:
      - { objective: ttft, max_ms: 400, target: 0.95 }
      - { objective: gap_max, max_ms: 500, target: 0.9 }
  - name: batch
    objectives:
      - { objective: ttft, max_ms: 5000, target: 0.99 }
`;

const SECTIONS = ['classes', 'gaps', 'streams', 'objectives', 'diagnosis', 'hops', 'health'];

async function picture(name: string, take: (path: string) => Promise<unknown>): Promise<void> {
  const path = join(FOLDER, `${name}.png`);
  await take(path);
  const { size } = statSync(path);
  process.stdout.write(`${name}.png ${Math.round(size / 1_000)} kB\n`);
  if (size > PICTURE_MAX_BYTES) throw new Error(`${name}.png is larger than ${PICTURE_MAX_BYTES} bytes`);
}

async function takeAll(browser: Browser, adminUrl: string): Promise<void> {
  const light = await WatchedPage.open(browser, adminUrl, { width: 1200, height: 1400 });
  const dark = await WatchedPage.open(browser, adminUrl, { width: 1200, height: 1400, scheme: 'dark' });
  const phone = await WatchedPage.open(browser, adminUrl, { width: 390, height: 844, scheme: 'dark' });
  const all = [light, dark, phone];
  for (const { page } of all) await page.locator('[data-stream]').first().waitFor();
  // A few beats, so that each page has strips of its own watching.
  await sleep(35_000);
  await picture('overview', (path) => light.page.screenshot({ path }));
  await picture('overview-dark', (path) => dark.page.screenshot({ path }));
  await picture('phone', (path) => phone.page.screenshot({ path }));
  for (const id of SECTIONS) await picture(id, (path) => light.page.locator(`#${id}`).screenshot({ path }));
  // One with a stall whose cause is known says most.
  const stalled = light.page.locator('[data-stream]').filter({ hasText: /prefill interference|host/ });
  await stalled.locator('.cell-id a').first().click();
  await light.page.locator('dialog[open] [data-figure="exchange.chunks"]').waitFor();
  await sleep(1_000);
  await picture('exchange', (path) => light.page.screenshot({ path }));
  await light.page.goBack();
  const faults = all.flatMap((each) => each.faults);
  if (faults.length > 0) throw new Error(`the page complained: ${faults.join('; ')}`);
}

/** Colours of a terminal as its users have them, by the codes that set them. */
const COLORS: Readonly<Record<string, string>> = {
  1: 'font-weight:bold',
  2: 'color:#8b95a7',
  30: 'color:#14171c',
  31: 'color:#f2777a',
  32: 'color:#8ccf7e',
  33: 'color:#e5c76b',
  36: 'color:#6cbfdb',
  42: 'background:#8ccf7e',
  43: 'background:#e5a96b',
  44: 'background:#5b7fd1',
  46: 'background:#6cbfdb',
  47: 'background:#d8dee9',
  97: 'color:#ffffff',
  100: 'background:#6b7486',
};
const TERMINAL = { columns: 130, rows: 44 };

/** What stands on the terminal, as text in a page: a terminal has no pictures of its own to take. */
async function takeTerminal(browser: Browser, adminUrl: string): Promise<void> {
  if (!canOpenTerminals()) return;
  const terminal = new Terminal(['top', adminUrl], TERMINAL);
  try {
    await terminal.until('the picture', (lines) => lines.some((line) => line.startsWith('last 30 s')));
    await sleep(32_000);
    const page: Page = await browser.newPage({ viewport: { width: 1_130, height: 800 } });
    await page.setContent(terminalPage(terminal.screen.cells()));
    await picture('top', (path) => page.locator('pre').screenshot({ path }));
  } finally {
    terminal.press('q');
    await terminal.untilExit();
  }
}

/** Each cell has its own place: fonts have not all characters in one width. */
function terminalPage(rows: readonly (readonly Cell[])[]): string {
  const style = 'background:#14171c;color:#d8dee9;font:14px/17px "DejaVu Sans Mono",monospace;margin:0;padding:12px';
  const cellOf = ({ text, codes }: Cell): string => {
    const own = codes.map((code) => COLORS[code] ?? '').join(';');
    return `<span style="${own}">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</span>`;
  };
  const lines = rows.map((cells) => `${cells.map(cellOf).join('')}\n`).join('');
  return `<style>span{display:inline-block;width:1ch;height:17px;overflow:hidden;vertical-align:top}</style><pre style='${style}'>${lines}</pre>`;
}

async function main(): Promise<void> {
  buildPage();
  mkdirSync(FOLDER, { recursive: true });
  const engine = await startReferenceEngine({ seed: 7, model: MODEL, models: [MODEL_NAME], persona: 'vllm' });
  const gateway = await Gateway.start({ way: { name: 'timer', everyMs: 120 } });
  const sidecar = await Sidecar.start({
    upstream: engine.url,
    args: [
      '--config',
      configFile(CONFIG),
      '--edge',
      `api-gateway@127.0.0.1:0=${gateway.url}`,
      '--engine-metrics',
      `${engine.url}/metrics`,
      '--models',
      MODEL_NAME,
    ],
  });
  gateway.innerPort = sidecar.listenPort;
  const stop = new AbortController();
  const mixed = { model: MODEL_NAME, durationMs: Infinity, drainMs: 0, signal: stop.signal };
  const url = `http://127.0.0.1:${sidecar.listenPort}`;
  const edgeUrl = `http://127.0.0.1:${sidecar.edgePort('api-gateway')}`;
  const runs = [
    startMix({ ...mixed, url, classes: CLASSES, seed: 7 }),
    startMix({ ...mixed, url: edgeUrl, classes: THROUGH_GATEWAY, seed: 8 }),
  ];
  const browser = await startBrowser();
  try {
    process.stdout.write(`a load of ${LOAD_MS / 1_000} s before the first picture …\n`);
    await sleep(LOAD_MS);
    const adminUrl = `http://127.0.0.1:${sidecar.adminPort}`;
    await takeAll(browser, adminUrl);
    await takeTerminal(browser, adminUrl);
  } finally {
    stop.abort();
    await Promise.all(runs.map(({ done }) => done));
    await browser.close();
    await sidecar.stop();
    await gateway.stop();
    await engine.close();
  }
}

await main();
