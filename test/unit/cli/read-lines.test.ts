// Goal: lines come out whole whatever pieces the file is read in. Method: files larger than one
// read, with characters of several bytes at every position of its border.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Line, readLines } from '../../../src/cli/read-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubato-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function linesOf(text: string): Promise<Line[]> {
  const path = join(folder, 'lines');
  writeFileSync(path, text);
  const lines: Line[] = [];
  for await (const line of readLines(path)) lines.push(line);
  return lines;
}

test('lines are counted from 1, and the last one is whole only with its line break', async () => {
  expect(await linesOf('a\n\nb')).toEqual([
    { text: 'a', line: 1, isWhole: true },
    { text: '', line: 2, isWhole: true },
    { text: 'b', line: 3, isWhole: false },
  ]);
  expect((await linesOf('a\n')).map(({ isWhole }) => isWhole)).toEqual([true]);
  expect(await linesOf('')).toEqual([]);
});

test('characters and lines across the border of two reads stay whole', async () => {
  const READ_BYTES = 65_536;
  for (const shift of [0, 1, 2, 3]) {
    const first = 'x'.repeat(READ_BYTES - 2 - shift) + '𝄞'.repeat(3);
    const long = '€'.repeat(READ_BYTES);
    const lines = await linesOf(`${first}\n${long}\nend\n`);
    expect(lines.map(({ text }) => text)).toEqual([first, long, 'end']);
  }
});
