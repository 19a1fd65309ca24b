// Writes the parts of README.md that are made from code (`npm run docs`).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBlocks } from './readme-blocks.ts';
import { readText, ROOT } from './sources.ts';

writeFileSync(join(ROOT, 'README.md'), withBlocks(readText('README.md')));
