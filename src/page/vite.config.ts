// How the live page is built: hashed files, and nothing inline, so that the admin port's content security policy can
// forbid all that is. The result needs no server but that port. `report/vite.config.ts` builds the other page.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { SHARED_BUILD, SHARED_CONFIG } from './build/shared-config.ts';

export default defineConfig({
  ...SHARED_CONFIG,
  root: fileURLToPath(new URL('.', import.meta.url)),
  // The page may stand behind a prefix of somebody's gateway.
  base: './',
  build: {
    ...SHARED_BUILD,
    outDir: fileURLToPath(new URL('../../dist/page/', import.meta.url)),
    assetsDir: 'assets',
    // An asset in a data URL would need another line in the policy than one in a file.
    assetsInlineLimit: 0,
  },
});
