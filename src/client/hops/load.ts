// Finds the recipes of hops that come with rubato. Knows where they lie and nothing of how they run.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { readRecipe, type HopRecipe, type HopVariant } from './recipe.ts';

/** The same from `src/` and from a built `dist/`: both are as deep. */
const RECIPES_FOLDER = fileURLToPath(new URL('../../../deploy/hops/', import.meta.url));
const FILE = 'recipe.yaml';

export interface HopChoice {
  /** `product/variant`. */
  readonly name: string;
  readonly recipe: HopRecipe;
  readonly variant: HopVariant;
}

export function recipeFolder(product: string): string {
  return join(RECIPES_FOLDER, product);
}

/** All variants of all recipes, by product. Throws when a recipe is faulty. */
export function loadHops(): HopChoice[] {
  // An image may leave them out: there is no gateway in it either.
  const folders = existsSync(RECIPES_FOLDER) ? readdirSync(RECIPES_FOLDER) : [];
  const products = folders.filter((name) => existsSync(join(RECIPES_FOLDER, name, FILE)));
  return products.toSorted().flatMap((product) => {
    const recipe = readRecipe(product, parse(readFileSync(join(RECIPES_FOLDER, product, FILE), 'utf8')));
    return recipe.variants.map((variant) => ({ name: `${product}/${variant.id}`, recipe, variant }));
  });
}

/** The variant with this name, or an error that lists those there are. */
export function findHop(name: string): HopChoice {
  const hops = loadHops();
  const found = hops.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new Error(`There is no recipe ${name}. There are: ${hops.map((each) => each.name).join(', ')}.`);
}
