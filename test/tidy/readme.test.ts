// Goal: what README.md says about keys, codes, metrics and packages is what the code has.
// Method: the parts made from code are made again and compared; the rest is looked up in the text.
import { describe, expect, test } from 'vitest';
import { BLOCK_NAMES, withBlocks } from './readme-blocks.ts';
import { readText } from './sources.ts';

const README = readText('README.md');

interface Package {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}
const PACKAGE = JSON.parse(readText('package.json')) as Package;

describe('README.md', () => {
  test('holds every part that is made from code', () => {
    const marks = [...README.matchAll(/<!-- made from code: ([a-z-]+) -->/g)].map((match) => match[1]);
    expect(marks.toSorted()).toEqual([...BLOCK_NAMES].toSorted());
  });

  test('says what the code says; `npm run docs` writes it anew', () => {
    expect(withBlocks(README)).toBe(README);
  });

  test('opens with the commands for the demo, the tests and the start', () => {
    const commands =
      README.split('```')[1]
        ?.split('\n')
        .filter((line) => line.startsWith('npm ')) ?? [];
    expect(commands.map((line) => line.split('#')[0]?.trim())).toEqual([
      'npm run demo',
      'npm test',
      'npm start -- --upstream http://127.0.0.1:8000',
    ]);
  });

  test('gives a reason for each production package, and for no other', () => {
    const section = README.split('## Production packages')[1]?.split('\n## ')[0] ?? '';
    const named = [...section.matchAll(/^\| `([^`]+)` \| .{10,} \|$/gm)].map((match) => match[1]);
    expect(named.toSorted()).toEqual(Object.keys(PACKAGE.dependencies).toSorted());
  });

  test('and the guide for contributors name only scripts that exist', () => {
    const text = README + readText('.github/CONTRIBUTING.md') + readText('src/README.md');
    const named = [...text.matchAll(/npm run ([a-z:]+)/g)].map((match) => match[1] ?? '');
    expect(named.filter((name) => PACKAGE.scripts[name] === undefined)).toEqual([]);
  });

  test('and the other documents name only files that exist', () => {
    for (const path of ['README.md', 'src/README.md', '.github/CONTRIBUTING.md']) {
      const files = [...readText(path).matchAll(/`((?:src|test|\.github|\.ci)\/[\w./-]+\.\w+)`/g)].map(
        (match) => match[1] ?? '',
      );
      for (const file of files) expect(() => readText(file), `${path} names ${file}`).not.toThrow();
    }
  });
});
