// Goal: `rubato top` shows on a real terminal exactly what the feed says, obeys its keys, lives through a restart of
// the sidecar, gives the terminal back, and is of use where there is none. Method: the program as a process of its own,
// before a feed that says what the test wants and before a real sidecar; the screen is kept from what it writes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NODE, ROOT, rubato, type Told } from '../support/program.ts';
import { FakeFeed } from '../support/live-feed.ts';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';
import { canOpenTerminals, Terminal } from '../support/terminal.ts';
import { about, AT, beat, classSummary, hello, open as openStream, state } from '../unit/client/top/feed-events.ts';

const hasTerminals = canOpenTerminals();
if (!hasTerminals)
  process.stderr.write('!!!!!!!! NOT TESTED on a terminal: there is no python3 that opens pseudo terminals !!!!!!!!\n');

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
});

let feed: FakeFeed;
beforeEach(async () => {
  feed = await FakeFeed.start();
  open.push(feed);
  feed.greeting = [['hello', hello({ beat: beat({ open: STREAMS }) })]];
});

const STREAMS = [
  openStream({ id: '0-1', silentMs: 5, gapMaxMs: 90 }),
  openStream({ id: '0-2', silentMs: 50, gapMaxMs: 60, class: 'batch' }),
];
const ENV = { LANG: 'C.UTF-8', COLUMNS: '80' };

describe('a sidecar that cannot be watched', () => {
  const cannot = async (adminUrl: string): Promise<Told> => {
    const told = await rubato(['top', adminUrl, '--once']);
    expect([told.status, told.stdout]).toEqual([69, '']);
    return told;
  };

  test('is told with what to check, exit 69', async () => {
    const place = new URL(feed.url).host;
    await feed.stop();
    expect((await cannot(place)).stderr).toMatch(
      /^Cannot watch http:\/\/127\.0\.0\.1:\d+: nothing listens there\. Check that a sidecar runs there, and that this is its admin port/,
    );
  });

  test.each([
    {
      answer: { status: 404, type: 'text/plain', text: 'nothing' },
      says: 'it answered 404; it is no admin port of a rubato that has a live feed.',
    },
    {
      answer: { status: 200, type: 'text/html', text: '<p>hello' },
      says: 'it answered 200; it is no admin port of a rubato that has a live feed.',
    },
    {
      answer: {
        status: 503,
        type: 'application/json',
        text: '{"error":{"code":"too_many_watchers","message":"16 are watching."}}',
      },
      says: 'it answered 503: 16 are watching.',
    },
  ])('answers $answer.status', async ({ answer, says }) => {
    feed.answer = answer;
    expect((await cannot(feed.url)).stderr).toContain(`Cannot watch ${feed.url}: ${says}`);
  });

  test.each([
    { greeting: ['hello', '{"about":'] as const, says: 'it sent something that is no event of the feed' },
    { greeting: ['hello', '{}'] as const, says: 'it sent something that is no event of the feed' },
    { greeting: ['hello', 'x'.repeat(4 * 1024 * 1024)] as const, says: 'it sent an event that is too large' },
  ])('says nothing that can be read: $says', async ({ greeting, says }) => {
    feed.greeting = [greeting];
    expect((await cannot(feed.url)).stderr).toContain(says);
  });
});

test('a wrong command line is told in full, exit 64', async () => {
  const told = await rubato(['top', 'ftp://x', 'more', '--every', '0']);
  expect(told.status).toBe(64);
  expect(told.stderr.match(/^ {2}- /gm)).toHaveLength(3);
});

describe('without a terminal', () => {
  test('--once writes one block of plain lines', async () => {
    const { status, stdout, stderr } = await rubato(['top', feed.url, '--once'], ENV);
    const [moment, ...lines] = stdout.trimEnd().split('\n');
    expect([status, stderr]).toEqual([0, '']);
    expect(moment).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(lines[0]?.replace(feed.url, 'URL')).toMatch(
      /^rubato 0\.1\.0 {2}ready {2}up 1 h 2 min {2}2 open {2}URL +live$/,
    );
    expect(lines.slice(1, 3)).toEqual([
      'class       exchanges     ok  TTFT p50      p95      p99 gap p99    worst stalls',
      'interactive     1,234  99.0%     123.4    240.1    300.2    45.6  1,203.4      7',
    ]);
    expect(lines.at(-1)).toMatch(/ 0-1 /);
  });

  test('a block comes again and again, a restart of the sidecar is told, and SIGTERM ends it with 0', async () => {
    const child = spawn(NODE, ['src/main.ts', 'top', feed.url, '--every', '1'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', ...ENV },
    });
    open.push({ stop: () => child.kill('SIGKILL') });
    let text = '';
    child.stdout.on('data', (data: Buffer) => (text += data.toString()));
    const says = (words: string) => poll(words, () => text.includes(words) || undefined, 15_000);
    await poll('two blocks', () => text.split('rubato 0.1.0').length > 2 || undefined, 15_000);
    const { port } = feed;
    await feed.stop();
    await says('The sidecar was lost ');
    await says('nothing listens there');
    const again = await FakeFeed.start(port);
    open.push(again);
    again.greeting = [['hello', hello({ about: about({ process: 'second', version: '0.2.0' }) })]];
    await says('The sidecar was restarted ');
    await says('rubato 0.2.0');
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
  });

  test('it shows what a real sidecar sees', async () => {
    const engine = await RawEngine.start();
    open.push(engine);
    const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}` });
    open.push(sidecar);
    engine.plan([at(0, HEAD), at(20, c(D('one'))), at(40, c(D('two'))), at(60, c(DONE), END)]);
    const client = await RawClient.open(sidecar.listenPort);
    client.request(chatRequest());
    await client.response();
    const { record } = await sidecar.record('the chat', () => true);
    const adminUrl = `http://127.0.0.1:${sidecar.adminPort}`;
    const { status, stdout } = await rubato(['top', adminUrl, '--once'], { ...ENV, COLUMNS: '150' });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^default +1 +100% /m);
    expect(stdout).toMatch(new RegExp(` ${record.id} +default .* ok `, 'm'));
  });
});

describe.skipIf(!hasTerminals)('on a terminal', () => {
  async function started(size = { columns: 80, rows: 24 }, env: Record<string, string> = {}): Promise<Terminal> {
    const terminal = new Terminal(['top', feed.url], size, env);
    open.push(terminal);
    await terminal.until('the picture', (lines) => lines.some((line) => line.includes('0-2')));
    return terminal;
  }
  const bottom = (lines: readonly string[]): string => lines.findLast((line) => line !== '') ?? '';
  const ids = (lines: readonly string[]): string[] => lines.flatMap((line) => / (0-\d) /.exec(line)?.[1] ?? []);

  test('the picture takes the whole of it, follows the feed, and is gone when the user is', async () => {
    const terminal = await started();
    expect([terminal.screen.isOther, terminal.screen.hasCursor]).toEqual([true, false]);
    expect(terminal.screen.lines().slice(1, 3)).toEqual([
      'class       exchanges     ok  TTFT p50      p95      p99 gap p99    worst stalls',
      'interactive     1,234  99.0%     123.4    240.1    300.2    45.6  1,203.4      7',
    ]);
    expect(bottom(terminal.screen.lines())).toBe('q quit  s sort: silence  c class: all  p pause  ? help  arrows move');
    feed.send('state', state({ classes: [classSummary({ exchangeCount: 5_000 })], atEpochMs: AT + 2_000 }));
    feed.send('beat', beat({ seq: 2, open: [openStream({ id: '0-3', model: '模型-漢字' }), ...STREAMS] }));
    await terminal.until('what came', (lines) => (lines[2] ?? '').startsWith('interactive     5,000'));
    // What was drawn over what: no rest of an older line is left anywhere.
    expect(ids(terminal.screen.lines())).toEqual(['0-2', '0-3', '0-1']);
    expect(terminal.screen.lines()[0]).toMatch(
      /^rubato 0\.1\.0 {2}ready {2}up 1 h 2 min {2}3 open {2}1883\.0 exchanges\/s/,
    );
    terminal.press('q');
    expect(await terminal.untilExit()).toBe(0);
    expect([terminal.screen.isOther, terminal.screen.hasCursor, terminal.screen.lines()]).toEqual([false, true, []]);
  });

  test('keys sort, choose a class, explain and move', async () => {
    const terminal = await started();
    terminal.press('s');
    await terminal.until('the other order', (lines) => bottom(lines).includes('sort: worst gap'));
    expect(ids(terminal.screen.lines())).toEqual(['0-1', '0-2']);
    terminal.press('c');
    await terminal.until('one class', (lines) => bottom(lines).includes('class: interactive'));
    expect(ids(terminal.screen.lines())).toEqual(['0-1']);
    terminal.press('?');
    await terminal.until('the help', (lines) => lines.some((line) => line.startsWith('q, Ctrl-C      quit')));
    terminal.press('\u001b[B');
    await terminal.until('the picture', (lines) => bottom(lines).includes('class: interactive'));
    terminal.press('\u0003');
    expect(await terminal.untilExit()).toBe(0);
  });

  test('a new size is a new picture', async () => {
    const terminal = await started();
    terminal.resize(50, 12);
    await terminal.until('a narrow picture', (lines) => Math.max(...lines.map((line) => line.length)) <= 50);
    await terminal.until('all of it', (lines) => bottom(lines).startsWith('q quit  s sort'));
    // A picture comes in pieces, so what it shows is waited for as well.
    const headCount = (lines: readonly string[]): number =>
      lines.filter((line) => line.includes('rubato 0.1.0')).length;
    await terminal.until('one head', (lines) => headCount(lines) === 1);
    terminal.resize(120, 30);
    await terminal.until('a wide one', (lines) => (lines[1] ?? '').includes('gap p50'));
    await terminal.until('its streams', (lines) => ids(lines).join() === '0-2,0-1');
    expect(headCount(terminal.screen.lines())).toBe(1);
  });

  test('a picture that is held costs the sidecar nothing, and goes on with a fresh one', async () => {
    const terminal = await started();
    terminal.press('p');
    await terminal.until('that it is held', (lines) => (lines[0] ?? '').endsWith('paused'));
    await feed.until('nobody to watch', () => feed.openCount === 0);
    feed.greeting = [['hello', hello({ beat: beat({ seq: 90, open: [openStream({ id: '0-8' })] }) })]];
    terminal.press('p');
    await terminal.until('the new picture', (lines) => ids(lines).join() === '0-8');
    expect([feed.watcherCount, feed.openCount]).toEqual([2, 1]);
  });

  test('a beat that is missed is made good by a fresh connection', async () => {
    const terminal = await started();
    feed.greeting = [['hello', hello({ beat: beat({ seq: 9, open: [openStream({ id: '0-9' })] }) })]];
    feed.send('beat', beat({ seq: 3, open: [openStream({ id: '0-5' })] }));
    await terminal.until('the fresh picture', (lines) => ids(lines).join() === '0-9');
    expect(terminal.screen.lines()[0]).toMatch(/ live$/);
    expect(feed.watcherCount).toBe(2);
  });

  test('a sidecar that is gone is waited for, and one that is busy is said to be', async () => {
    const terminal = await started();
    feed.send('busy', { atEpochMs: AT });
    await terminal.until('that it is busy', (lines) =>
      (lines[1] ?? '').startsWith("The sidecar's main thread has not"),
    );
    const { port } = feed;
    await feed.stop();
    await terminal.until('that it is lost', (lines) => (lines[1] ?? '').startsWith('The sidecar was lost'));
    // What was seen last still stands there.
    expect(ids(terminal.screen.lines())).toEqual(['0-2', '0-1']);
    const again = await FakeFeed.start(port);
    open.push(again);
    again.greeting = [['hello', hello({ about: about({ process: 'second' }) })]];
    await terminal.until('the other one', (lines) => (lines[1] ?? '').startsWith('The sidecar was restarted'));
    expect(ids(terminal.screen.lines())).toEqual([]);
  });

  test('colours are there, and are not where NO_COLOR says so', async () => {
    // eslint-disable-next-line no-control-regex -- that is what colours are made of
    const colours = /\u001b\[[1-9][\d;]*m/;
    expect((await started()).raw).toMatch(colours);
    expect((await started({ columns: 80, rows: 24 }, { NO_COLOR: '1' })).raw).not.toMatch(colours);
  });

  test('that is dumb gets plain blocks', async () => {
    const terminal = await started({ columns: 80, rows: 60 }, { TERM: 'dumb' });
    expect(terminal.raw).not.toContain('\u001b');
    expect(terminal.screen.isOther).toBe(false);
  });

  test('a sidecar that was never there leaves the terminal as it was', async () => {
    await feed.stop();
    const terminal = new Terminal(['top', 'http://127.0.0.1:9'], { columns: 80, rows: 24 });
    open.push(terminal);
    expect(await terminal.untilExit()).toBe(69);
    expect(terminal.raw).not.toContain('\u001b');
    expect(terminal.raw).toContain('Cannot watch http://127.0.0.1:9: nothing listens there.');
  });
});
