// For a run of mutants alone: one project, whose test files and servers `run-stryker.mjs` names.
import { defineConfig } from 'vitest/config'

const conditions = ['@latchkey/source', 'module', 'node', 'development|production']
const { tests, postgres, redis } = JSON.parse(process.env.LATCHKEY_MUTANTS ?? '{}')
const missing = 'no such server was started for the mutants'

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    root: process.cwd(),
    setupFiles: ['scripts/property-seed.mjs'],
    include: tests?.filter((pattern) => !pattern.startsWith('!')),
    exclude: ['**/node_modules/**', ...(tests ?? []).filter((p) => p.startsWith('!')).map((p) => p.slice(1))],
    provide: { postgres: postgres ?? { url: null, missing }, redis: redis ?? { url: null, missing } },
    // What hangs has noticed the mutant: sooner than in a run that is to pass.
    testTimeout: 20_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 5_000, interval: 20 } },
  },
})
