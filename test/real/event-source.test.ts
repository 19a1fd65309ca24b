// Goal: what rubato reads off an event stream is what a browser dispatches, but for the differences that
// are meant. Method: Chromium's own EventSource, coming through rubato, and our framing read the same
// vectors, one for each topic of the HTML standard; intended differences are vectors that say why.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { sse } from '../../src/stream/framings/sse.ts';
import { askBrowser, browserCommand, type Report } from './event-source/browser.ts';
import { type Message, type Vector, VECTORS } from './event-source/vectors.ts';
import { say } from './judge/missing.ts';

const command = browserCommand();
if (command === undefined)
  say('!!!!!!!! NOT TESTED with Chromium: it is not installed (Debian package chromium-headless-shell) !!!!!!!!');

/** What our framing tells of a stream, in the words of a browser. */
function ourMessages({ pieces }: Vector, inBytes: boolean): Message[] {
  const messages: Message[] = [];
  const framing = sse.open({
    onMessage: (data, name) => messages.push({ name: name ?? 'message', data }),
    onComment: () => undefined,
    onOverflow: () => expect.unreachable('no event here is that large'),
    onDoubt: () => undefined,
    onUnreadable: () => expect.unreachable('an event stream is always readable'),
  });
  for (const piece of pieces) {
    const bytes = Buffer.from(piece as string);
    if (inBytes) for (const byte of bytes) framing.feed(Uint8Array.of(byte));
    else framing.feed(bytes);
  }
  framing.end();
  return messages;
}

describe.skipIf(command === undefined)('Chromium’s EventSource', () => {
  let report: Report;
  beforeAll(async () => {
    // On a busy machine a browser may fail to start; what it reads is the same the second time.
    report = await askBrowser(command!).catch(() => askBrowser(command!));
    say(`${report.agent.match(/\S*Chrom\S*/)?.[0] ?? 'a browser'} read ${report.all.length} event streams`);
  });

  test.each(VECTORS.map((vector, index) => ({ ...vector, index })))('agrees, or differs as meant: $name', (vector) => {
    const theirs = report.all[vector.index];
    const ours = ourMessages(vector, false);
    if (vector.ours === undefined) expect(ours).toEqual(theirs);
    else {
      expect(ours).toEqual(vector.ours.messages);
      // A difference that is none any more must not stay on the list.
      expect(ours).not.toEqual(theirs);
    }
  });
});

describe('the vectors', () => {
  test.each(VECTORS)('are read alike when every byte comes by itself: $name', (vector) => {
    expect(ourMessages(vector, true)).toEqual(ourMessages(vector, false));
  });

  test('that are meant to differ are those that test/README.md lists', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const section = readme.split('## Event streams')[1]?.split('\n## ')[0] ?? '';
    const listed = [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)]
      .map(([, name, because]) => [name, because])
      .slice(2);
    const meant = VECTORS.flatMap(({ name, ours }) => (ours === undefined ? [] : [[name, ours.because]]));
    expect(listed).toEqual(meant);
  });
});
