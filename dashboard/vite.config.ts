import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';

/** The gateway that `npm run dev -w @mp/dashboard` proxies to. */
const gateway = process.env.GATEWAY_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), precompress()],
  server: { proxy: Object.fromEntries(['/v2', '/auth', '/health', '/openapi.json', '/reference'].map((path) => [path, gateway])) },
  build: {
    target: 'es2023',
    // The oldest versions with light-dark(), which all colors use.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The Content-Security-Policy allows files of this origin and nothing inline, so nothing becomes a data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    // A page that consists of a hundred small files spends more on requesting than on running them: what every page starts with is
    // one file, and what 30 pages or parts share is another.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'entry', tags: ['$initial'], priority: 2 },
            { name: 'shared', minShareCount: 30, priority: 1 },
          ],
        },
      },
    },
  },
});
