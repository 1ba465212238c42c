import { pause } from '@latchkey/core/internal'
import type { AccountStore } from '../store/account-store.ts'
import { type AccountTests, drawAccount } from './account-bench.ts'
import { holds, isAccount, oneWins } from './assertions.ts'

const callers = Array.from({ length: 16 }, (_, index) => index)

export const accountConcurrency: AccountTests = {
  'of parallel inserts of one e-mail exactly one wins': async ({ store, other }) => {
    const { email } = drawAccount()
    const rivals = callers.map(() => drawAccount({ email }))
    const outcomes = await Promise.all(rivals.map((rival, index) => (index % 2 ? store : other).insert(rival)))
    oneWins(outcomes)
    const winner = rivals[outcomes.indexOf(true)] ?? null
    isAccount(await store.getByEmail(email), winner, 'the account of the winner')
    const found = await Promise.all(rivals.map(({ id }) => store.get(id)))
    oneWins(found.map((account) => account !== null))
  },

  'of parallel inserts of one id exactly one wins': async ({ store, other }) => {
    const { id } = drawAccount()
    const rivals = callers.map(() => drawAccount({ id }))
    const outcomes = await Promise.all(rivals.map((rival, index) => (index % 2 ? store : other).insert(rival)))
    oneWins(outcomes)
    isAccount(await store.get(id), rivals[outcomes.indexOf(true)] ?? null, 'the account of the winner')
    const found = await Promise.all(rivals.map(({ email }) => store.getByEmail(email)))
    oneWins(found.map((account) => account !== null))
  },

  'of parallel swaps on one password hash exactly one wins': async ({ store, other }) => {
    const account = drawAccount()
    await store.insert(account)
    const { id, passwordHash, epoch } = account
    const outcomes = await Promise.all(
      callers.map((index) => {
        const next = { passwordHash: `hash ${index}`, epoch: epoch + 1 }
        return (index % 2 ? store : other).replace(id, { passwordHash, epoch }, next)
      }),
    )
    oneWins(outcomes)
    const next = { passwordHash: `hash ${outcomes.indexOf(true)}`, epoch: epoch + 1 }
    isAccount(await store.get(id), { ...account, ...next }, 'the account as the winner left it')
  },

  'parallel swaps that raise the epoch lose none': async ({ store, other }) => {
    const account = drawAccount({ epoch: 0 })
    await store.insert(account)
    await Promise.all(callers.map((index) => raise(index % 2 ? store : other, account.id)))
    isAccount(await store.get(account.id), { ...account, epoch: callers.length }, 'after all of them')
  },

  'the epoch and the key that a raise keeps change in one step': async ({ store, other }) => {
    const account = drawAccount({ epoch: 0 })
    await store.insert(account)
    const keyAt = (epoch: number) => (epoch === 0 ? null : `rt_${epoch}`)
    let isRaised = false
    const raising = (async () => {
      for (const epoch of callers) {
        const next = { epoch: epoch + 1, keptKey: keyAt(epoch + 1) }
        holds(await store.replace(account.id, { epoch, keptKey: keyAt(epoch) }, next), 'nobody else raises it')
      }
    })().finally(() => {
      isRaised = true
    })
    const reading = async () => {
      while (!isRaised) {
        const { epoch = 0, keptKey = null } = (await other.get(account.id)) ?? {}
        holds(keptKey === keyAt(epoch), `at epoch ${epoch} the kept key must be that of this epoch, not ${keptKey}`)
        // Reads that answer at once would leave the raises no turn.
        await pause(0)
      }
    }
    await Promise.all([raising, reading()])
  },

  'swaps of different fields at once do not undo each other': async ({ store, other }) => {
    for (const _round of callers) {
      const account = drawAccount()
      await store.insert(account)
      const { id, passwordHash, epoch } = account
      const [hashed, raised] = await Promise.all([
        store.replace(id, { passwordHash }, { passwordHash: 'rehashed' }),
        other.replace(id, { epoch }, { epoch: epoch + 1, roles: ['READER'] }),
      ])
      holds(hashed && raised, 'neither swap names a value that the other changes')
      const next = { passwordHash: 'rehashed', epoch: epoch + 1, roles: ['READER'] }
      isAccount(await store.get(id), { ...account, ...next }, 'after both')
    }
  },

  'of parallel swaps to one free e-mail exactly one wins': async ({ store, other }) => {
    const { email } = drawAccount()
    const rivals = callers.map(() => drawAccount())
    await Promise.all(rivals.map((rival) => store.insert(rival)))
    const outcomes = await Promise.all(
      rivals.map(({ id }, index) => (index % 2 ? store : other).replace(id, { epoch: 3 }, { email, epoch: 4 })),
    )
    oneWins(outcomes)
    const holders = await Promise.all(rivals.map(async ({ id }) => (await store.get(id))?.email === email))
    oneWins(holders)
  },

  'of parallel inserts and swaps to one e-mail exactly one wins': async ({ store, other }) => {
    const { email } = drawAccount()
    const rivals = callers.map(() => drawAccount())
    await Promise.all(rivals.map((rival) => store.insert(rival)))
    const outcomes = await Promise.all(
      rivals.flatMap(({ id }) => [other.insert(drawAccount({ email })), store.replace(id, {}, { email })]),
    )
    oneWins(outcomes)
  },

  'of parallel removes exactly one wins': async ({ store, other }) => {
    const account = drawAccount()
    await store.insert(account)
    oneWins(await Promise.all(callers.map((index) => (index % 2 ? store : other).remove(account.id))))
    isAccount(await store.get(account.id), null, 'after the removal')
  },

  'of a raise of the epoch and a removal that expects the epoch before it exactly one wins': async ({
    store,
    other,
  }) => {
    const accounts = callers.map(() => drawAccount())
    await Promise.all(accounts.map((account) => store.insert(account)))
    await Promise.all(
      accounts.map(async ({ id, epoch }, index) => {
        const remove = () => store.remove(id, { epoch })
        const raise = () => other.replace(id, { epoch }, { epoch: epoch + 1 })
        // Each starts first for half of the accounts.
        const place = index % 2
        const made = await Promise.all(place === 0 ? [remove(), raise()] : [raise(), remove()])
        oneWins(made)
        holds(((await store.get(id)) === null) === made[place], 'the account is there unless it was removed')
      }),
    )
  },

  'a swap in flight does not bring a removed account back': async ({ store, other }) => {
    const accounts = callers.map(() => drawAccount())
    await Promise.all(accounts.map((account) => store.insert(account)))
    await Promise.all(
      accounts.flatMap(({ id, epoch }) => [other.replace(id, { epoch }, { epoch: epoch + 1 }), store.remove(id)]),
    )
    for (const { id, email } of accounts) {
      isAccount(await store.get(id), null, 'get after the removal')
      isAccount(await other.getByEmail(email), null, 'getByEmail after the removal')
    }
  },
}

async function raise(store: AccountStore, id: string): Promise<void> {
  // Each lost round is a raise of another caller, of which there are fewer than this.
  for (let round = 0; round < 1000; round++) {
    const account = await store.get(id)
    if (!account) throw new Error('the account must be there')
    if (await store.replace(id, { epoch: account.epoch }, { epoch: account.epoch + 1 })) return
    await pause(0)
  }
  throw new Error('replace must be true for one of several callers: 1,000 calls were false')
}
