import { defineConfig } from 'vite'

const service = 'http://127.0.0.1:4000'

/** The service puts a nonce for each page in the place of this one. */
const nonce = 'nonce-of-the-page'

export default defineConfig(({ command, mode }) => ({
  // The service has pages of its own: there the front end has `/` and all below `/app/`.
  base: command === 'build' && mode === 'production' ? '/app/' : '/',
  // In this repository packages are read from their sources. Elsewhere the condition is unknown and does nothing.
  resolve: { conditions: ['@latchkey/source', 'module', 'browser', 'development|production'] },
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: '../quickstart/public',
    emptyOutDir: true,
    target: 'es2023',
    // Newer ones know `light-dark()`, which would otherwise be written out.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
  },
  html: command === 'build' && mode === 'production' ? { cspNonce: nonce } : {},
  server:
    mode === 'other-origin'
      ? { host: '127.0.0.1', port: 4003, strictPort: true }
      : { host: '127.0.0.1', port: 4005, strictPort: true, proxy: { '/graphql': service } },
}))
