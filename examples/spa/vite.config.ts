import { defineConfig } from 'vite'

const service = 'http://127.0.0.1:4000'

/** The service replaces it with a new nonce for each page. */
const nonce = 'nonce-of-the-page'

export default defineConfig(({ command, mode }) => ({
  // The service also has its own pages, so the front end there has `/` and the paths below `/app/`.
  base: command === 'build' && mode === 'production' ? '/app/' : '/',
  // In this repository packages are read from their sources. Elsewhere the condition has no effect.
  resolve: { conditions: ['@latchkey/source', 'module', 'browser', 'development|production'] },
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: '../quickstart/public',
    emptyOutDir: true,
    target: 'es2023',
    // The first releases that know `light-dark()`: for older ones Vite would replace it.
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
