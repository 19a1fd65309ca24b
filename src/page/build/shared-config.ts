// What the builds of both pages have in common.
import type { UserConfig } from 'vite';
import { recordInputs } from './record-inputs.ts';

export const SHARED_CONFIG = {
  publicDir: false,
  logLevel: 'warn',
  // Whatever NODE_ENV is where it is built: with aids for developers every element would name its file on that machine.
  oxc: { jsx: { development: false } },
  plugins: [recordInputs()],
} satisfies UserConfig;

export const SHARED_BUILD = {
  emptyOutDir: true,
  // What others wrote and is in the bundle comes with the words of its licence.
  license: { fileName: 'licenses.md' },
  modulePreload: false,
  sourcemap: false,
  reportCompressedSize: false,
} satisfies UserConfig['build'];
