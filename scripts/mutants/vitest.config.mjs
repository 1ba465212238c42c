// For a run of mutants alone: its test files and servers are those that `run-stryker.mjs` names.
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import { filesOfOneProcess } from '../one-process.ts'

const conditions = ['@latchkey/source', 'module', 'node', 'development|production']
const { tests, postgres, redis } = JSON.parse(process.env.LATCHKEY_MUTANTS ?? '{}')
const { include = [], exclude = [] } = tests ?? {}
/** A process for each file would spend more on loading than on testing. */
const together = filesOfOneProcess(include)
const missing = 'no such server was started for the mutants'

/** Quick files first: most mutants are noticed soon, and one test that fails is enough. */
class QuickFirst extends BaseSequencer {
  async sort(files) {
    const duration = (file) => this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0
    return files.toSorted((left, right) => duration(left) - duration(right))
  }
}

export default defineConfig({
  // Not in the installed packages, which the checkout shares.
  cacheDir: '.vite',
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    root: process.cwd(),
    sequence: { sequencer: QuickFirst },
    setupFiles: ['scripts/property-seed.mjs'],
    // What judges the kits and not the stores: stores that are broken on purpose, many of which wait for deadlines.
    testNamePattern: /^(?!.*(?:\bkit\b.* finds|finds that|on a backend that fails))/,
    // What hangs has noticed the mutant, and need not be waited for as long as in a run that is to pass.
    testTimeout: tests?.testTimeout,
    provide: { postgres: postgres ?? { url: null, missing }, redis: redis ?? { url: null, missing } },
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 20 } },
    // Each run has new processes, so no mutant sees what another one has loaded.
    projects: [
      { extends: true, test: { name: 'together', include: together, exclude, isolate: false } },
      { extends: true, test: { name: 'alone', include, exclude: [...exclude, ...together] } },
    ],
  },
})
