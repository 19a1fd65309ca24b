// Goal: what is not as it should be is said in words where it is seen first, and what is not known is not made up.
// Method: a model brought into each state, and the lines that tell of it.
import { describe, expect, test } from 'vitest';
import { FIRST_CHOICES } from '../../../../src/client/top/choices.ts';
import { TopModel } from '../../../../src/client/top/model.ts';
import { about, AT, beat, classSummary, hello, open, self, state } from './feed-events.ts';
import { lines, model, URL } from './pictures.ts';

describe('what is not as it should be', () => {
  const second = (of: TopModel, nowEpochMs = AT): string[] => lines(of, { columns: 120 }, { nowEpochMs }).slice(1, 3);

  test('stands below the first line: a sidecar that is gone, and since when', () => {
    const lost = model();
    lost.setLink('lost', AT, 'it cut the connection');
    expect(second(lost, AT + 5_200)[0]).toBe(
      'The sidecar was lost 5.2 s ago: it cut the connection. Trying to reach it again. What is below is what was seen last.',
    );
    expect(lines(lost)[0]).toMatch(/ lost$/);
  });

  test('and a restart, for a minute', () => {
    const again = model();
    again.hello(hello({ about: about({ process: 'second' }) }), AT + 1_000);
    expect(second(again, AT + 3_000)[0]).toBe('The sidecar was restarted 2.0 s ago; its figures begin anew.');
    expect(second(again, AT + 61_000)[0]).toMatch(/^class/);
  });

  test('and a main thread that does not answer, a refusal, not being ready, and warnings', () => {
    const bad = model({
      state: state({
        ready: { ok: false, reasons: ['no upstream answers'] },
        self: self({ warnings: ['The CPU is throttled.'] }),
      }),
    });
    expect(second(bad)).toEqual(['Not ready: no upstream answers', 'The CPU is throttled.']);
    expect(lines(bad)[0]).toMatch(/^rubato 0\.1\.0 {2}NOT READY {2}/);
    bad.setLink('busy', AT);
    expect(second(bad, AT + 7_000)[0]).toBe(
      "The sidecar's main thread has not answered for 7.0 s; streams are not touched by that. What is below is what was seen",
    );
    bad.setLink('refused', AT, 'it answered 503');
    expect(second(bad)[0]).toMatch(/^The sidecar does not let us watch: it answered 503\. Trying again\./);
  });

  test('is held on purpose: the picture says so', () => {
    const choices = { ...FIRST_CHOICES, isPaused: true };
    const held = lines(model(), {}, { choices });
    expect([held[0]?.endsWith(' paused'), held.at(-1)?.includes('p go on')]).toEqual([true, true]);
  });

  test('is held and lost: nobody tries to reach it, and the picture does not say so', () => {
    const lost = model();
    lost.setLink('lost', AT, 'nothing listens there');
    const says = (isPaused: boolean): string =>
      lines(lost, { columns: 160 }, { choices: { ...FIRST_CHOICES, isPaused } })[1] ?? '';
    expect(says(false)).toContain('Trying to reach it again.');
    expect(says(true)).toContain('It is tried again when the picture goes on (p).');
    expect(says(true)).not.toContain('Trying');
  });

  test('is not well on a small terminal: one line says so, and figures keep their place', () => {
    const bad = model({
      state: state({ self: self({ warnings: ['The CPU is throttled. '.repeat(9), 'And more.'] }) }),
    });
    const drawn = lines(bad, { columns: 80, rows: 12 });
    expect(drawn.filter((line) => line.includes('throttled'))).toHaveLength(1);
    expect(drawn.some((line) => line.includes('And more.'))).toBe(false);
    expect(drawn.some((line) => line.startsWith('class '))).toBe(true);
  });
});

test('a silence that the client made is not drawn as a stall', () => {
  const row = (phase: 'stream' | 'silent'): string => {
    const bins = '1'.repeat(100);
    const strip = { fromBin: AT / 50 - 599, received: bins, flushed: bins };
    const held = model({ beat: beat({ open: [open({ phase, silentMs: 20_000, ageMs: 30_000, strip })] }) });
    return lines(held, { columns: 120 }).find((line) => line.includes('0-1')) ?? '';
  };
  expect([row('silent').includes('╌'), row('stream').includes('╌')]).toEqual([true, false]);
});

describe('nothing', () => {
  test('known yet is an address and a word', () => {
    const drawn = lines(new TopModel(URL, AT));
    expect(drawn.filter((line) => line !== '')).toEqual([
      'rubato  http://127.0.0.1:9464                                         connecting',
      'q quit  s sort: silence  c class: all  p pause  ? help  arrows move',
    ]);
  });

  test('passed yet is said in words', () => {
    const drawn = lines(model({ state: state({ classes: [] }) }));
    expect(drawn.slice(1, 4)).toEqual([
      'No exchange has passed yet. Send a request to the port that clients use.',
      'rubato itself: relay lag 0.4 ms, main 3.0 ms  CPU 12.3 %  150 MiB  1,250 chunks…',
      'No stream is in flight, and none ended lately.',
    ]);
  });

  test('known of a figure is a dash, never a 0', () => {
    const {
      ttft: _,
      gap: __,
      worst: ___,
      ttftAt: ____,
      ...unknown
    } = classSummary({ exchangeCount: 0, outcomeCounts: {} });
    const drawn = lines(model({ state: state({ classes: [unknown] }) }));
    expect(drawn[2]).toBe('interactive         0      –         –        –        –       –        –      7');
  });
});
