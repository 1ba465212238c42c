import { createMemoryAccountStore, type ProfileStore } from '@latchkey/accounts'
import { describeProfileStore } from '@latchkey/accounts/testing'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

const createStores = () => {
  const accounts = createMemoryAccountStore()
  return { accounts, profiles: { rename: accounts.rename } }
}

describe('the memory store', () => {
  describeProfileStore({ describe, test, createStores })
})

type Memory = ReturnType<typeof createMemoryAccountStore>

const brokenStores: readonly [mistake: string, fails: string, rename: (accounts: Memory) => ProfileStore['rename']][] =
  [
    ['no account is refused', 'rename never creates an account', () => async () => true],
    [
      'every account is renamed',
      'rename changes the name of one account and nothing else of it',
      (accounts) => async (id, name) => {
        for (const account of (await accounts.list({ limit: 1000 })).items) await accounts.rename(account.id, name)
        return (await accounts.get(id)) !== null
      },
    ],
    [
      'a rename forgets what the last change has kept',
      'rename changes the name of one account and nothing else of it',
      (accounts) => async (id, name) => {
        const account = await accounts.get(id)
        if (account) await accounts.replace(id, {}, { epoch: account.epoch })
        return accounts.rename(id, name)
      },
    ],
    [
      'a name that stays as it was is no rename',
      'rename to the name that an account has is true',
      (accounts) => async (id, name) => (await accounts.get(id))?.name !== name && accounts.rename(id, name),
    ],
  ]

test.each(brokenStores)('the kit for profile stores finds that %s', async (_mistake, fails, rename) => {
  const accounts = createMemoryAccountStore()
  const stores = { accounts, profiles: { rename: rename(accounts) } }
  const failed = await failedTitles((runner) => describeProfileStore({ ...runner, createStores: () => stores }))
  expect(failed).toContain(fails)
})

describeOutageMistakes({
  name: 'profile stores',
  describeKit: ({ createStore, ...kit }) => describeProfileStore({ ...kit, createStores: createStore }),
  createStore: createStores,
  reads: [],
  changes: ['rename'],
})
