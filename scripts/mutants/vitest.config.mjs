// For a run of mutants alone: its test files and servers are those that `run-stryker.mjs` names.
import { defineConfig } from 'vitest/config'

const conditions = ['@latchkey/source', 'module', 'node', 'development|production']
const { tests, postgres, redis } = JSON.parse(process.env.LATCHKEY_MUTANTS ?? '{}')
const missing = 'no such server was started for the mutants'

export default defineConfig({
  // Not in the installed packages, which the checkout shares.
  cacheDir: '.vite',
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    root: process.cwd(),
    include: ['scripts/mutants/live-idle.test.mjs', ...(tests?.include ?? [])],
    exclude: tests?.exclude ?? [],
    setupFiles: ['scripts/property-seed.mjs'],
    // What judges the kits and not the stores: stores that are broken on purpose, many of which wait for deadlines.
    testNamePattern: /^(?!.*(?:\bkit\b.* finds|finds that|on a backend that fails))/,
    // What hangs has noticed the mutant, and need not be waited for as long as in a run that is to pass.
    testTimeout: tests?.testTimeout,
    provide: { postgres: postgres ?? { url: null, missing }, redis: redis ?? { url: null, missing } },
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 20 } },
    // One process at a time runs one test after the other, as it is told to, and says itself how they end.
    runner: 'scripts/mutants/live-worker.mjs',
    isolate: false,
    maxWorkers: 1,
    maxConcurrency: 1,
    reporters: [],
  },
})
