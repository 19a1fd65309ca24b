// What runs the program as its users do. Node keeps what it made of our sources, for a test run starts some
// three hundred processes of them; nobody's users start it from sources, where the types are still to be cut out.
import { join } from 'node:path';

export const ROOT = new URL('../..', import.meta.url).pathname;
export const NODE = join(ROOT, 'node_modules/.bin/node');

/** A process that ends by itself adds to it; what a source has become is found by its content. */
export const KEPT_CODE = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled') };
