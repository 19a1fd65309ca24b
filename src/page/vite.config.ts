// How the live page is built: hashed files, and nothing inline, so that the admin port's content security policy can
// forbid all that is. The result needs no server but that port. `report/vite.config.ts` builds the other page.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { recordInputs } from './build/record-inputs.ts';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // The page may stand behind a prefix of somebody's gateway.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  // Whatever NODE_ENV is where it is built: with aids for developers every element would name its file on that machine.
  oxc: { jsx: { development: false } },
  plugins: [recordInputs()],
  build: {
    outDir: fileURLToPath(new URL('../../dist/page/', import.meta.url)),
    emptyOutDir: true,
    assetsDir: 'assets',
    // An asset in a data URL would need another line in the policy than one in a file.
    assetsInlineLimit: 0,
    // What others wrote and is in the bundle comes with the words of its licence.
    license: { fileName: 'licenses.md' },
    modulePreload: false,
    sourcemap: false,
    reportCompressedSize: false,
  },
});
