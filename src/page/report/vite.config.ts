// How the page of `rubato report` is built: one script and one style sheet under fixed names, which the command puts
// into the document itself (app/record-report/render.ts).
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { SHARED_BUILD, SHARED_CONFIG } from '../build/shared-config.ts';

/** A report goes from hand to hand without the licences that lie beside the script. */
const NOTICE =
  '/*! Contains preact, copyright 2015-present Jason Miller, and uPlot, copyright Leon Sorokin. Both: MIT License, ' +
  'https://opensource.org/license/mit */';

export default defineConfig({
  ...SHARED_CONFIG,
  root: fileURLToPath(new URL('.', import.meta.url)),
  build: {
    ...SHARED_BUILD,
    outDir: fileURLToPath(new URL('../../../dist/page/report/', import.meta.url)),
    cssCodeSplit: false,
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
