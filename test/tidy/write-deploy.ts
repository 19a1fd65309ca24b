// Writes the files of deploy/ that are made by rubato's own commands (`npm run docs`).
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DASHBOARDS, deployFiles } from './deploy-files.ts';
import { ROOT } from './sources.ts';

mkdirSync(join(ROOT, DASHBOARDS), { recursive: true });
// A dashboard that is no more leaves no file behind.
for (const name of readdirSync(join(ROOT, DASHBOARDS))) rmSync(join(ROOT, DASHBOARDS, name));
for (const [path, text] of await deployFiles()) writeFileSync(join(ROOT, path), text);
