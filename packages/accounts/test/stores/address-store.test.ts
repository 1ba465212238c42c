import { createMemoryAccountStore } from '@latchkey/accounts'
import { type AddressedStores, describeAddressStore } from '@latchkey/accounts/testing'
import { pause } from '@latchkey/core/internal'
import { describeOutageMistakes, failedTitles } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

const open = (): AddressedStores & { readonly memory: ReturnType<typeof createMemoryAccountStore> } => {
  const memory = createMemoryAccountStore()
  return { memory, accounts: memory, addresses: memory }
}

describe('the memory store', () => {
  const stores = open()
  describeAddressStore({ describe, test, createStores: () => stores })
})

type Break = (stores: ReturnType<typeof open>) => Partial<AddressedStores>

const isReserved = 'an address that is reserved is given to no other account'
const movesBack = 'an account moves back to what is reserved for it, and so leaves all others'
const isListed = 'what is reserved is listed until its time, the earliest first'

const brokenStores: readonly [mistake: string, fails: string, broken: Break][] = [
  [
    'nothing is reserved',
    isReserved,
    ({ memory }) => ({
      addresses: { ...memory, reserve: async ({ accountId }) => (await memory.get(accountId)) !== null },
    }),
  ],
  [
    'any address can be reserved',
    'only the address that an account has can be reserved for it',
    ({ memory }) => ({
      addresses: { ...memory, reserve: async (...given) => (await memory.reserve(...given)) || true },
    }),
  ],
  [
    'an address is reserved at any epoch',
    'an address is reserved at the epoch of the account only',
    ({ memory }) => ({
      addresses: {
        ...memory,
        reserve: async (address) => memory.reserve(address, (await memory.get(address.accountId))?.epoch ?? 0),
      },
    }),
  ],
  [
    'the epoch is read before the address is reserved',
    'of an account that moves back meanwhile nothing is reserved',
    ({ memory }) => ({
      addresses: {
        ...memory,
        async reserve(address, epoch) {
          const account = await memory.get(address.accountId)
          if (account?.epoch !== epoch) return false
          await pause(1)
          return memory.reserve(address, (await memory.get(address.accountId))?.epoch ?? 0)
        },
      },
    }),
  ],
  [
    'nobody moves back',
    movesBack,
    ({ memory }) => ({
      accounts: {
        ...memory,
        replace: async (id, expected, next) =>
          !(next.email && (await memory.findReserved(next.email, 150))) && memory.replace(id, expected, next),
      },
    }),
  ],
  [
    'the end of its time is still within it',
    isListed,
    ({ memory }) => ({ addresses: { ...memory, listReserved: (id, now) => memory.listReserved(id, now - 1) } }),
  ],
  [
    'the latest is listed first',
    isListed,
    ({ memory }) => ({
      addresses: { ...memory, listReserved: async (...given) => [...(await memory.listReserved(...given))].reverse() },
    }),
  ],
  [
    'an address is given up before its time',
    'an address is free when it is given up, and not before',
    ({ memory }) => ({ addresses: { ...memory, release: (now) => memory.release(now + 1) } }),
  ],
  [
    'nothing is given up',
    'an address is free when it is given up, and not before',
    ({ memory }) => ({ addresses: { ...memory, release: async () => {} } }),
  ],
]

test.each(brokenStores)('the kit for address stores finds that %s', async (_mistake, fails, broken) => {
  const whole = open()
  const stores = { ...whole, ...broken(whole) }
  const failed = await failedTitles((runner) => describeAddressStore({ ...runner, createStores: () => stores }))
  expect(failed).toContain(fails)
})

describeOutageMistakes({
  name: 'address stores',
  describeKit: ({ createStore, ...kit }) => describeAddressStore({ ...kit, createStores: createStore }),
  createStore: (): AddressedStores => open(),
  reads: ['listReserved', 'findReserved'],
  changes: ['reserve', 'release'],
})
