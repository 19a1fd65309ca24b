// Goal: every recipe that comes with rubato can be read, names files that exist and a cure where it holds; a
// faulty one is told with all its faults. Method: the recipes themselves, and small faulty ones.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findHop, loadHops, recipeFolder } from '../../../../src/client/hops/load.ts';
import { readRecipe } from '../../../../src/client/hops/recipe.ts';
import { fill } from '../../../../src/client/hops/work-folder.ts';

const HOPS = loadHops();
const PLACES = { UPSTREAM_HOST: '10.0.0.1', UPSTREAM_PORT: '1', LISTEN_PORT: '2', SIDE_PORT: '3', WORK_DIR: '/tmp/x' };

describe('the recipes', () => {
  test('are at least 25 configurations, each with a name of its own', () => {
    expect(HOPS.length).toBeGreaterThanOrEqual(25);
    expect(new Set(HOPS.map(({ name }) => name)).size).toBe(HOPS.length);
  });

  test.each(HOPS)('$name has its files, and nothing in them is left to fill in', ({ recipe, variant }) => {
    const folder = recipeFolder(recipe.product);
    expect(variant.files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
    const texts = [...variant.command, ...variant.files.map((file) => readFileSync(join(folder, file), 'utf8'))];
    expect(texts.map((text) => fill(text, PLACES)).filter((text) => /\$\{[A-Z_]+\}/.test(text))).toEqual([]);
  });

  test('lead from what holds to a variant that is known not to', () => {
    // A head that waits for the body is in some products' nature, and nothing can be set.
    const holding = HOPS.filter(({ variant }) => variant.word === 'holds' && variant.way !== 'head');
    expect(holding.filter(({ variant }) => variant.cure === undefined).map(({ name }) => name)).toEqual([]);
    const cures = HOPS.flatMap(({ recipe, variant }) =>
      variant.cure === undefined ? [] : [`${recipe.product}/${variant.cure}`],
    );
    expect(cures.filter((name) => findHop(name).variant.word === 'holds')).toEqual([]);
  });

  test('are explained to people, product by product', () => {
    const products = [...new Set(HOPS.map(({ recipe }) => recipe.product))];
    expect(products.filter((product) => !existsSync(join(recipeFolder(product), 'README.md')))).toEqual([]);
  });
});

describe('a recipe', () => {
  const VARIANT = { id: 'a', title: 'b', command: ['c'], expect: { word: 'passes' } };
  const WHOLE = { title: 'T', install: 'I', version: ['v'], variants: [VARIANT] };

  test('has defaults for what most need not say', () => {
    const [variant] = readRecipe('p', WHOLE).variants;
    expect(variant).toEqual({
      id: 'a',
      title: 'b',
      files: [],
      command: ['c'],
      env: {},
      ready: 'tcp',
      request: { path: '/v1/chat/completions', headers: {} },
      engineHeaders: {},
      word: 'passes',
      textPasses: true,
    });
  });

  test('tells all its faults at once', () => {
    const faulty = {
      install: 'I',
      version: [],
      variants: [
        { ...VARIANT, id: 'A b', expect: { word: 'holds' } },
        { ...VARIANT, cure: 'nowhere', env: { n: 1 } },
      ],
    };
    expect(() => readRecipe('p', faulty)).toThrow(
      'The recipe of p is faulty: p variant 0: the id A b is no plain name; ' +
        'p variant 0: expects neither a word nor a hold and its way; p variant 1: env is no mapping of texts; ' +
        'p: title is no text; p: version is no list of texts; p/a: its cure nowhere is no variant.',
    );
  });

  test('that does not exist is told with those that do', () => {
    expect(() => findHop('nginx/nothing')).toThrow(/There is no recipe nginx\/nothing\. There are: apache\/default, /);
  });
});

test('only our own placeholders are filled in, since servers have variables that look alike', () => {
  expect(fill('listen ${LISTEN_PORT}; $host ${host} ${UPSTREAM_HOST}:${UPSTREAM_PORT}', PLACES)).toBe(
    'listen 2; $host ${host} 10.0.0.1:1',
  );
});
