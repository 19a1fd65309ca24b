// What a recipe of a hop is: a product, how to know that it is there, and its variants, each a configuration
// with what it is known to do to a stream. Plain data and its faults; reading and starting are elsewhere.
import { DELIVERY_WORDS, HOLD_WAYS, type DeliveryWord, type HoldWay } from '../../judge/delivery/verdict.ts';

/** How a started hop is known to serve: its port is open, or a path of its own answers 200. */
export type ReadyCheck = 'tcp' | { readonly path: string };

export interface HopVariant {
  readonly id: string;
  readonly title: string;
  /** Files of the recipe's folder, copied to the work folder with their placeholders filled in. */
  readonly files: readonly string[];
  /** Program and arguments; placeholders are filled in. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly ready: ReadyCheck;
  /** What a request through it needs beside itself; placeholders are filled in. */
  readonly request: {
    readonly path: string;
    readonly model?: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** Fields that the engine's answer carries in this variant. */
  readonly engineHeaders: Readonly<Record<string, string>>;
  /** What it does to a stream, as measured with raw sockets on both sides. */
  readonly word: DeliveryWord;
  /** Only with `holds`. */
  readonly way?: HoldWay;
  /** It is the head alone that waits: text passes, and whoever stands only behind it can see no hold. */
  readonly textPasses: boolean;
  /** Another variant of the recipe that does not hold. */
  readonly cure?: string;
}

export interface HopRecipe {
  /** Name of its folder. */
  readonly product: string;
  readonly title: string;
  /** How people install it. */
  readonly install: string;
  /** Prints a version when the product is there, fails when it is not. */
  readonly version: readonly string[];
  /** Refuses to run as root, or would leave root's rights only by its own means. */
  readonly dropRoot: boolean;
  readonly variants: readonly HopVariant[];
}

const NAME = /^[a-z0-9][a-z0-9-]*$/;
const DEFAULT_PATH = '/v1/chat/completions';

/** Reads a parsed `recipe.yaml`. Throws one error that lists everything that is wrong with it. */
export function readRecipe(product: string, value: unknown): HopRecipe {
  const faults: string[] = [];
  const root = new Fields(value, product, faults);
  const variants = root.list('variants').map((each, index) => readVariant(each, `${product} variant ${index}`, faults));
  const recipe = {
    product,
    title: root.text('title'),
    install: root.text('install'),
    version: root.texts('version'),
    dropRoot: root.flag('dropRoot'),
    variants,
  };
  const ids = variants.map(({ id }) => id);
  if (variants.length === 0) faults.push(`${product}: has no variants`);
  if (new Set(ids).size < ids.length) faults.push(`${product}: two variants have one id`);
  for (const { id, cure } of variants) {
    if (cure !== undefined && !ids.includes(cure)) faults.push(`${product}/${id}: its cure ${cure} is no variant`);
  }
  if (faults.length > 0) throw new Error(`The recipe of ${product} is faulty: ${faults.join('; ')}.`);
  return recipe;
}

function readVariant(value: unknown, where: string, faults: string[]): HopVariant {
  const fields = new Fields(value, where, faults);
  const request = new Fields(fields.optional('request') ?? {}, `${where} request`, faults);
  const expect = new Fields(fields.optional('expect'), `${where} expect`, faults);
  const id = fields.text('id');
  if (!NAME.test(id)) faults.push(`${where}: the id ${id} is no plain name`);
  const word = DELIVERY_WORDS.find((each) => each === expect.text('word'));
  const way = HOLD_WAYS.find((each) => each === expect.optional('way'));
  if (word === undefined || (word === 'holds') !== (way !== undefined)) {
    faults.push(`${where}: expects neither a word nor a hold and its way`);
  }
  const model = request.optional('model');
  const cure = fields.optional('cure');
  return {
    id,
    title: fields.text('title'),
    files: fields.texts('files', true),
    command: fields.texts('command'),
    env: fields.map('env'),
    ready: readReady(fields.optional('ready'), where, faults),
    request: {
      path: request.optional('path') === undefined ? DEFAULT_PATH : request.text('path'),
      headers: request.map('headers'),
      ...(model === undefined ? {} : { model: request.text('model') }),
    },
    engineHeaders: fields.map('engineHeaders'),
    word: word ?? 'unsure',
    textPasses: word === 'passes' || expect.optional('text') === 'passes',
    ...(way === undefined ? {} : { way }),
    ...(cure === undefined ? {} : { cure: fields.text('cure') }),
  };
}

function readReady(value: unknown, where: string, faults: string[]): ReadyCheck {
  if (value === undefined || value === 'tcp') return 'tcp';
  return { path: new Fields(value, `${where} ready`, faults).text('path') };
}

/** One mapping of the file: what is missing or of another kind becomes a fault, and an empty value. */
class Fields {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #where: string;
  readonly #faults: string[];

  constructor(value: unknown, where: string, faults: string[]) {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isMap) faults.push(`${where}: is no mapping`);
    this.#fields = isMap ? (value as Readonly<Record<string, unknown>>) : {};
    this.#where = where;
    this.#faults = faults;
  }

  optional(name: string): unknown {
    return this.#fields[name];
  }

  text(name: string): string {
    const value = this.#fields[name];
    if (typeof value === 'string' && value !== '') return value;
    this.#faults.push(`${this.#where}: ${name} is no text`);
    return '';
  }

  flag(name: string): boolean {
    return this.#fields[name] === true;
  }

  list(name: string): readonly unknown[] {
    const value = this.#fields[name];
    if (Array.isArray(value)) return value;
    this.#faults.push(`${this.#where}: ${name} is no list`);
    return [];
  }

  texts(name: string, mayBeEmpty = false): readonly string[] {
    if (mayBeEmpty && this.#fields[name] === undefined) return [];
    const list = this.list(name);
    if (list.some((each) => typeof each !== 'string') || (list.length === 0 && !mayBeEmpty)) {
      this.#faults.push(`${this.#where}: ${name} is no list of texts`);
    }
    return list.map(String);
  }

  map(name: string): Readonly<Record<string, string>> {
    const value = this.#fields[name];
    if (value === undefined) return {};
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (entries.length === 0 || entries.some(([, each]) => typeof each !== 'string')) {
      this.#faults.push(`${this.#where}: ${name} is no mapping of texts`);
    }
    return Object.fromEntries(entries.map(([key, each]) => [key, String(each)]));
  }
}
