import { createMemoryAccountStore } from '@latchkey/accounts'
import { describeProfileStore } from '@latchkey/accounts/testing'
import { describe, expect, test } from 'vitest'

const accounts = createMemoryAccountStore()
describeProfileStore({ describe, test, createStores: () => ({ accounts, profiles: accounts }) })

test.each([
  ['creates an account', async () => true],
  [
    'renames another account too',
    async (id: string, name: string) => {
      for (const account of (await accounts.list({ limit: 1000 })).items) await accounts.rename(account.id, name)
      return (await accounts.get(id)) !== null
    },
  ],
])('the kit finds a store that %s', async (_mistake, rename) => {
  const failed: string[] = []
  const tests: Promise<void>[] = []
  describeProfileStore({
    describe: (_name, body) => body(),
    test: (title, body) => void tests.push(body().catch(() => void failed.push(title))),
    createStores: () => ({ accounts, profiles: { rename } }),
  })
  await Promise.all(tests)
  expect(failed).not.toEqual([])
})
