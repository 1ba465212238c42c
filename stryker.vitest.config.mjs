import { defineConfig } from 'vitest/config'

const conditions = ['@latchkey/source', 'module', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts'],
    // Tests on servers, in other runtimes and in browsers. The tests of `portable` remove APIs that the runner needs.
    exclude: ['**/*{.services,.runtimes,browser}.test.ts', '**/portable.test.ts'],
    setupFiles: ['scripts/property-seed.mjs'],
    testTimeout: 60_000,
  },
})
