// How the page of `rubato report` is built: one script and one style sheet under fixed names, which the command puts
// into the document itself (app/record-report/render.ts).
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { recordInputs } from '../build/record-inputs.ts';

/** A report goes from hand to hand without the licences that lie beside the script. */
const NOTICE =
  '/*! Contains preact, copyright 2015-present Jason Miller, and uPlot, copyright Leon Sorokin. Both: MIT License, ' +
  'https://opensource.org/license/mit */';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: false,
  logLevel: 'warn',
  // Whatever NODE_ENV is where it is built: with aids for developers every element would name its file on that machine.
  oxc: { jsx: { development: false } },
  plugins: [recordInputs()],
  build: {
    outDir: fileURLToPath(new URL('../../../dist/page/report/', import.meta.url)),
    emptyOutDir: true,
    cssCodeSplit: false,
    // What others wrote and is in the bundle comes with the words of its licence.
    license: { fileName: 'licenses.md' },
    modulePreload: false,
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: fileURLToPath(new URL('main.tsx', import.meta.url)),
      // Not a module: a script in a document that was opened from a disk has no origin to load others from.
      output: {
        format: 'iife',
        entryFileNames: 'report.js',
        assetFileNames: 'report[extname]',
        postBanner: NOTICE,
      },
    },
  },
});
