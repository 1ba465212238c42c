import { createMemoryAccountStore } from '@latchkey/accounts'
import { describeAccountDirectory, describeAccountStore } from '@latchkey/accounts/testing'
import { createGatedStore, outageMistakes } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

describe('the memory store behind a backend that fails', () => {
  describeAccountStore({ describe, test, ...createGatedStore(createMemoryAccountStore()) })
})

test.each(outageMistakes)(
  'the kit for account stores finds a store that %s while its backend fails',
  async (mistake, fails) => {
    const failed: string[] = []
    const runs: (() => Promise<unknown>)[] = []
    describeAccountStore({
      describe: (name, body) => (/store$|^outages$/.test(name) ? body() : undefined),
      test: (title, body) => runs.push(() => body().catch(() => failed.push(title))),
      ...createGatedStore(createMemoryAccountStore(), mistake),
    })
    for (const run of runs) await run()
    expect(failed).toContain(fails)
    expect(failed.length).toBeLessThan(runs.length)
  },
)

describe('the memory store behind a backend that fails', () => {
  describeAccountDirectory({ describe, test, ...createGatedStore(createMemoryAccountStore()) })
})

// A directory only reads.
const readMistakes = outageMistakes.filter(([mistake]) => mistake !== 'is executed later')

test.each(readMistakes)(
  'the kit for account directories finds a store that %s while its backend fails',
  async (mistake, fails) => {
    const failed: string[] = []
    const runs: (() => Promise<unknown>)[] = []
    describeAccountDirectory({
      describe: (name, body) => (/directory$|^outages$/.test(name) ? body() : undefined),
      test: (title, body) => runs.push(() => body().catch(() => failed.push(title))),
      ...createGatedStore(createMemoryAccountStore(), mistake),
    })
    for (const run of runs) await run()
    expect(failed).toContain(fails)
    expect(failed.length).toBeLessThan(runs.length)
  },
)
