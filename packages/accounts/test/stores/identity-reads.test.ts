import { type AccountStore, createMemoryAccountStore, type IdentityReads } from '@latchkey/accounts'
import { describeAccountStore } from '@latchkey/accounts/testing'
import { createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import { failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { createIdentityReads } from './create-identity-reads.ts'

/** On a clock of its own, which `wait` moves. */
function createKit(around = (group: IdentityReads): IdentityReads => group) {
  let time = Date.UTC(2026, 0, 1)
  const now = () => time
  const accounts = createMemoryAccountStore()
  const [records, documents] = [createMemoryRecordStore({ now }), createMemoryDocumentStore()]
  const store: AccountStore = { ...accounts, identities: around(createIdentityReads({ accounts, records, documents })) }
  return {
    createStore: () => store,
    optional: ['getMany', 'listRoleHolders', 'reservations', 'identities'] as const,
    now,
    wait: async (milliseconds: number) => {
      time += milliseconds
    },
  }
}

describe('accounts and records in memory, read together', () => {
  describeAccountStore({ describe, test, ...createKit() })
})

test('the kit of accounts finds that a record is read a millisecond too long', async () => {
  const kit = createKit((whole) => {
    const last = new Map<string, Awaited<ReturnType<IdentityReads['read']>>>()
    return {
      ...whole,
      async read(key, ids) {
        const found = await whole.read(key, ids)
        if (found) last.set(key, found)
        const before = last.get(key)
        return found ?? (before && before.record.expiresAt >= whole.records.now() ? before : null)
      },
    }
  })
  const failed = await failedTitles((runner) => describeAccountStore({ ...runner, ...kit }))
  expect(failed).toContain('a record is read until the millisecond in which it expires')
})
