// Goal: the picture says what is known, in lines that fit, and gives up its least important parts first. Method: whole
// pictures held against exact lines; every size from one column on for what must hold of all of them.
import { describe, expect, test } from 'vitest';
import { FIRST_CHOICES, type TopChoices } from '../../../../src/client/top/choices.ts';
import { pageOf, type TopOptions, type TopSize } from '../../../../src/client/top/render.ts';
import { widthOf } from '../../../../src/client/top/text.ts';
import { AT, beat, classSummary, open, state } from './feed-events.ts';
import { BUSY, lines, model, row } from './pictures.ts';

test('a whole picture of 80 columns and 24 rows', () => {
  expect(lines(model(BUSY))).toEqual([
    'rubato 0.1.0  ready  up 1 h 2 min  3 open  http://127.0.0.1:9464            live',
    'class       exchanges     ok  TTFT p50      p95      p99 gap p99    worst stalls',
    'interactive     1,234  99.0%     123.4    240.1    300.2    45.6  1,203.4      7',
    'batch              12   100%     123.4    240.1    300.2    45.6  1,203.4      0',
    'interactive TTFT p99    300.2 ms QQQQQPPPPPPPPPPPPPPPPoo queue 60.0 (model)  pr…',
    'batch       TTFT p99    300.2 ms QQQQQPPPPPPPPPPPPPPPPoo queue 60.0 (model)  pr…',
    'interactive gaps p99                                                         ▄ ▅',
    'batch       gaps p99                                                           ▁',
    '                     59.0 s ago                                              now',
    'diagnosis of default: TTFT got worse. strong: Two requests were thrown out.',
    'hop gateway: holds by timer  1,200 paired  largest hold p50 101.0, p95 180.0 ms',
    '  what usually cures it: proxy_buffering off',
    'rubato itself: relay lag 0.4 ms, main 3.0 ms  CPU 12.3 %  150 MiB  1,250 chunks…',
    'last 30 s        id       phase           age    silent stalls',
    '⣿⣿⣿⣿⣿⡿⠛⢻⣿⣿⣿⣿⡇╌╌╌ 0-2      silent       12.3 s   5,300.0',
    '                 0-5      token         0.3 s         –',
    '⣿⣿⣿⣿⣿⣿⡷╌⠰⣿⣿⣿⣿⣿⣿⠆ 0-4      stream       12.3 s      20.0 1 prefill interference',
    '                 0-0      ok            8.0 s         –',
    '',
    '',
    '',
    '',
    'q quit  s sort: silence  c class: all  p pause  ? help  arrows move',
  ]);
});

test('a wide and tall one has the heatmap, and all columns', () => {
  const wide = lines(model(BUSY), { columns: 150, rows: 40 });
  expect(wide.slice(0, 13)).toEqual([
    'rubato 0.1.0  ready  up 1 h 2 min  3 open  http://127.0.0.1:9464                                                                                  live',
    'class                exchanges     ok  TTFT p50      p95      p99 gap p50 gap p99    worst stalls   kept',
    'interactive              1,234  99.0%     123.4    240.1    300.2    20.1    45.6  1,203.4      7      –',
    'batch                       12   100%     123.4    240.1    300.2    20.1    45.6  1,203.4      0      –',
    'interactive TTFT p99    300.2 ms QQQQQQQQPPPPPPPPPPPPPPPPPPPPPPPPPPPPoooo queue 60.0 (model)  prefill 210.2 (model)  other 30.0',
    'batch       TTFT p99    300.2 ms QQQQQQQQPPPPPPPPPPPPPPPPPPPPPPPPPPPPoooo queue 60.0 (model)  prefill 210.2 (model)  other 30.0',
    'gaps by length, all classes',
    `  > 1000 ms${' '.repeat(139)}`,
    ` <= 1000 ms${' '.repeat(139)}`,
    `  <= 250 ms ${' '.repeat(135)}░ ░`,
    `  <= 100 ms${' '.repeat(139)}`,
    `   <= 50 ms ${' '.repeat(135)}░  `,
    `   <= 25 ms ${' '.repeat(135)}█ █`,
  ]);
  expect(row(wide, '0-2')).toMatch(/ 0-2 +batch +模型-漢字 +silent +12\.3 s +240 +5,300\.0 +52\.5$/);
});

describe('any size', () => {
  const picture = model(BUSY);
  test.each([false, true])('has no line that is too wide, and not one line too many (help: %s)', (isHelp) => {
    for (let width = 1; width <= 160; width += width < 40 ? 1 : 13) {
      for (const rows of [1, 2, 5, 9, 14, 23, 33, 34, 60]) {
        const choices: TopChoices = { ...FIRST_CHOICES, isHelp };
        const drawn = lines(picture, { columns: width, rows }, { choices, isColored: true });
        const widest = Math.max(...drawn.map((line) => widthOf(line)));
        expect([width, rows, widest <= width, drawn.length <= rows]).toEqual([width, rows, true, true]);
      }
    }
  });

  test('that is small keeps what matters: classes, three streams, what rubato costs, then the diagnosis', () => {
    const kinds = (rows: number): string[] =>
      lines(picture, { rows }).flatMap(
        (line) =>
          /^(class|interactive TTFT|interactive gaps|diagnosis|hop|rubato itself|last 30 s)/.exec(line)?.[0] ?? [],
      );
    expect(kinds(9)).toEqual(['class', 'last 30 s']);
    expect(kinds(10)).toEqual(['class', 'rubato itself', 'last 30 s']);
    expect(kinds(11)).toEqual(['class', 'diagnosis', 'rubato itself', 'last 30 s']);
    expect(kinds(13)).toEqual(['class', 'interactive TTFT', 'diagnosis', 'rubato itself', 'last 30 s']);
  });
});

describe('colour', () => {
  test('only underlines: without it the same characters stand there', () => {
    const colored = lines(model(BUSY), {}, { isColored: true });
    // eslint-disable-next-line no-control-regex -- that is what colours are made of
    const codes = /\u001b\[[\d;]*m/g;
    expect(colored.some((line) => codes.test(line))).toBe(true);
    expect(colored.map((line) => line.replaceAll(codes, '').trimEnd())).toEqual(
      lines(model(BUSY)).map((line) => line.trimEnd()),
    );
  });

  test('ends with the text that it belongs to', () => {
    for (const line of lines(model(BUSY), { columns: 150, rows: 40 }, { isColored: true })) {
      // Every attribute that a line sets is one that it takes back: 1 and 2 by 22, colours by 39 and 49, 7 by 27.
      // eslint-disable-next-line no-control-regex -- see above
      const last = [...line.matchAll(/\u001b\[([\d;]*)m/g)].at(-1)?.[1] ?? '39';
      expect(['22', '27', '39', '39;49']).toContain(last);
    }
  });
});

test('a terminal without UTF-8 gets ASCII, as wide as it would be', () => {
  for (const size of [{}, { columns: 150, rows: 40 }, { columns: 33 }]) {
    const drawn = lines(model(BUSY), size, { isAscii: true });
    expect(drawn.join('')).toMatch(/^[ -~]*$/);
    expect(drawn.map((line) => widthOf(line))).toEqual(lines(model(BUSY), size).map((line) => widthOf(line)));
  }
  expect(row(lines(model(BUSY), { columns: 150 }, { isAscii: true }), '0-2')).toContain(' ????-???? ');
  const drawn = lines(model(BUSY), {}, { isAscii: true });
  expect(row(drawn, '0-4').slice(0, 16)).toBe('#######-:######:');
  expect(row(drawn, '0-2').slice(0, 16)).toBe('#############---');
});

describe('one class', () => {
  const choices: TopChoices = { ...FIRST_CHOICES, class: 'batch' };

  test('leaves the others out of the table, the gaps and the streams', () => {
    const drawn = lines(model(BUSY), { columns: 150, rows: 40 }, { choices });
    expect(drawn.filter((line) => /interactive|0-4/.test(line))).toEqual([]);
    expect(drawn).toContain('gaps by length, batch');
    expect(row(drawn, '0-2')).not.toBe('');
  });
});

describe('many streams', () => {
  const many = model({
    beat: beat({ open: Array.from({ length: 50 }, (_, at) => open({ id: `0-${100 + at}`, silentMs: 50 - at })) }),
  });
  const options: TopOptions = {
    choices: FIRST_CHOICES,
    isColored: false,
    isAscii: false,
    hasKeys: true,
    nowEpochMs: AT,
  };
  const size: TopSize = { columns: 80, rows: 23 };

  test('are shown from the chosen one on, and the last page is full', () => {
    const { streamCount, pageCount } = pageOf(many.view(), size, options);
    expect([streamCount, pageCount]).toEqual([50, 16]);
    const ids = (offset: number): string[] =>
      lines(many, {}, { choices: { ...FIRST_CHOICES, offset } }).flatMap((line) => / (0-1\d\d) /.exec(line)?.[1] ?? []);
    expect(ids(10)).toEqual(Array.from({ length: 16 }, (_, at) => `0-${110 + at}`));
    // There may be fewer streams by now than there were when the key was pressed.
    expect(ids(45)).toEqual(Array.from({ length: 16 }, (_, at) => `0-${134 + at}`));
  });

  test('are the first twenty where the picture is not redrawn', () => {
    const drawn = lines(many, { rows: Infinity }, { hasKeys: false });
    expect(drawn.filter((line) => / 0-1\d\d /.test(line))).toHaveLength(20);
    expect(drawn.some((line) => line.startsWith('q quit'))).toBe(false);
  });
});

test('a name that a client made up is shown and not obeyed', () => {
  const evil = open({ id: '0-6', model: '\u001b[2J\u001b]0;owned\u0007\nnew line' });
  const drawn = lines(model({ beat: beat({ open: [evil] }) }), { columns: 150 });
  expect(drawn.join('\n')).not.toContain('\u001b');
  expect(row(drawn, '0-6')).toContain('?[2J?]0;owned??new line');
});

test('stalls are told by the latest whose cause is known', () => {
  const stall = (cause?: 'host' | 'unknown') => ({
    endedAtEpochMs: AT,
    gapMs: 300,
    ...(cause !== undefined && { cause }),
  });
  const words = (stalls: readonly ReturnType<typeof stall>[]): string | undefined => {
    const of = model({ beat: beat({ open: [open({ id: '0-6', stallCount: stalls.length, stalls })] }) });
    return /52\.5 ?(.*)$/.exec(row(lines(of, { columns: 150 }), '0-6'))?.[1];
  };
  expect(
    [[], [stall()], [stall('host'), stall('unknown'), stall()], [stall('unknown'), stall()]].map((each) => words(each)),
  ).toEqual(['', '1', '3 host', '2']);
});

test('kept is the share of exchanges that kept every objective; a budget that is spent is bad', () => {
  const counts = { unknownExchangeCount: 0, demandTokenCount: 0, goodTokenCount: 0 };
  const rates = {
    demandExchangesPerSecond: 0,
    goodExchangesPerSecond: 0,
    demandTokensPerSecond: 0,
    goodTokensPerSecond: 0,
  };
  const window = { ...counts, demandExchangeCount: 200, goodExchangeCount: 190, lengthMs: 60_000, ...rates };
  const drawn = lines(
    model({
      state: state({
        classes: [
          classSummary({
            goodput: { sinceStart: { ...counts, demandExchangeCount: 200, goodExchangeCount: 0 }, window },
          }),
        ],
      }),
    }),
    { columns: 150 },
  );
  expect(drawn[2]).toMatch(/ 95\.0%$/);
});
