import type { AccountChange, AccountStore } from '../../store/account-store.ts'
import { type BrokenAccountStore, broken } from './broken-store.ts'
import { applyChange, hasValues, type SlowAccountStore } from './slow-account-store.ts'

const fields = ['email', 'name', 'roles', 'status', 'passwordHash', 'epoch', 'keptKey', 'enrolled'] as const

/** A field that the one statement of a swap does not have. */
const forgottenFields: readonly BrokenAccountStore[] = fields.flatMap((field) => [
  broken(`replace does not look at "${field}"`, 'a swap that expects another value changes nothing', (slow) => ({
    replace: (id, expected, next) => slow.store.replace(id, without(expected, field), next),
  })),
  broken(`replace does not set "${field}"`, 'a swap may expect and set every field', (slow) => ({
    replace: (id, expected, next) => slow.store.replace(id, expected, without(next, field)),
  })),
])

function without(change: AccountChange, field: keyof AccountChange): AccountChange {
  const { [field]: _left, ...rest } = change
  return rest
}

export const brokenSwaps: readonly BrokenAccountStore[] = [
  ...forgottenFields,

  broken(
    'replace reads, compares and then writes',
    'of parallel swaps on one password hash exactly one wins',
    lateReplace,
  ),
  broken('replace counts up from what it read', 'parallel swaps that raise the epoch lose none', lateReplace),
  broken('replace writes the whole row back', 'swaps of different fields at once do not undo each other', (slow) => ({
    async replace(id, expected, next) {
      const before = await slow.store.get(id)
      await slow.roundTrip()
      const account = slow.accounts.get(id)
      if (!before || !account || !hasValues(account, expected)) return false
      if (next.email !== undefined && next.email !== before.email) return slow.store.replace(id, expected, next)
      slow.accounts.set(id, applyChange(before, next))
      return true
    },
  })),

  broken('replace creates what is not there', 'a swap in flight does not bring a removed account back', (slow) => ({
    async replace(id, expected, next) {
      const account = await slow.store.get(id)
      if (!account || !hasValues(account, expected)) return false
      if (await slow.store.replace(id, expected, next)) return true
      await slow.roundTrip()
      if (!slow.accounts.has(id)) slow.accounts.set(id, applyChange(account, next))
      return false
    },
  })),

  broken(
    'replace takes an expected null for any value',
    'no password is a value that can be expected and set',
    (slow) => ({
      replace(id, { passwordHash, ...expected }, next) {
        const hash = passwordHash === null || passwordHash === undefined ? {} : { passwordHash }
        return slow.store.replace(id, { ...expected, ...hash }, next)
      },
    }),
  ),

  broken('replace takes an expected null key for any key', 'a swap may expect and set every field', (slow) => ({
    replace: (id, { keptKey, ...expected }, next) =>
      slow.store.replace(id, { ...expected, ...(keptKey != null && { keptKey }) }, next),
  })),

  broken('names are compared in one case', 'a swap that expects another value changes nothing', (slow) => ({
    async replace(id, { name, ...expected }, next) {
      const account = await slow.store.get(id)
      if (name !== undefined && account?.name.toLowerCase() !== name.toLowerCase()) return false
      return slow.store.replace(id, expected, next)
    },
  })),

  broken('lists are compared in any order', 'a swap that expects another value changes nothing', (slow) => ({
    async replace(id, { roles, ...expected }, next) {
      const account = await slow.store.get(id)
      if (roles && `${[...(account?.roles ?? [])].sort()}` !== `${[...roles].sort()}`) return false
      return slow.store.replace(id, expected, next)
    },
  })),

  broken(
    'replace inserts an absent account',
    'a swap that expects nothing only requires that the account exists',
    (slow) => ({
      async replace(id, expected, next) {
        if (await slow.store.replace(id, expected, next)) return true
        if (slow.accounts.has(id) || Object.keys(expected).length > 0) return false
        const account = { id, email: id, name: '', roles: [], status: 'active', passwordHash: null } as const
        slow.accounts.set(id, applyChange({ ...account, epoch: 0, keptKey: null, enrolled: [] }, next))
        return true
      },
    }),
  ),

  broken(
    'a swap that sets nothing is refused',
    'a swap that expects nothing only requires that the account exists',
    (slow) => ({
      replace: async (id, expected, next) =>
        Object.keys(next).length > 0 && (await slow.store.replace(id, expected, next)),
    }),
  ),

  broken(
    'a swap of the same value is refused',
    'a swap of the name changes one account, and keeps its key',
    (slow) => ({
      async replace(id, expected, next) {
        const account = await slow.store.get(id)
        if (account && Object.keys(next).length > 0 && hasValues(account, next)) return false
        return slow.store.replace(id, expected, next)
      },
    }),
  ),

  broken(
    'a swap of the name changes every account',
    'a swap of the name changes one account, and keeps its key',
    (slow) => ({
      async replace(id, expected, next) {
        const isSwapped = await slow.store.replace(id, expected, next)
        if (isSwapped && next.name !== undefined)
          for (const account of [...slow.accounts.values()])
            slow.accounts.set(account.id, { ...account, name: next.name })
        return isSwapped
      },
    }),
  ),

  broken('every swap clears the kept key', 'a swap of the name changes one account, and keeps its key', (slow) => ({
    replace: (id, expected, next) => slow.store.replace(id, expected, { keptKey: null, ...next }),
  })),

  broken(
    'a raise of the epoch empties the enrolled kinds',
    'the kinds of second factors are kept, compared and set',
    (slow) => ({
      replace: (id, expected, next) =>
        slow.store.replace(id, expected, next.epoch === undefined ? next : { enrolled: [], ...next }),
    }),
  ),

  broken(
    'a raise of the epoch leaves the kept key',
    'a swap that sets the epoch keeps what it names, or nothing',
    (slow) => ({
      async replace(id, expected, next) {
        const before = await slow.store.get(id)
        const isSwapped = await slow.store.replace(id, expected, next)
        const account = slow.accounts.get(id)
        if (isSwapped && before && account)
          slow.accounts.set(id, { ...account, keptKey: next.keptKey ?? before.keptKey })
        return isSwapped
      },
    }),
  ),

  broken(
    'the kept key is set after the epoch',
    'the epoch and the key that a raise keeps change in one step',
    (slow) => ({
      async replace(id, expected, { keptKey, ...next }) {
        if (!(await slow.store.replace(id, expected, next))) return false
        if (keptKey !== undefined) await slow.store.replace(id, {}, { keptKey })
        return true
      },
    }),
  ),

  broken('replace sets an e-mail that is taken', 'a swap to an e-mail that is taken changes nothing', (slow) => ({
    async replace(id, expected, next) {
      await slow.roundTrip()
      const account = slow.accounts.get(id)
      if (!account || !hasValues(account, expected)) return false
      slow.accounts.set(id, applyChange(account, next))
      return true
    },
  })),

  broken(
    'replace looks for the new e-mail and then writes',
    'of parallel swaps to one free e-mail exactly one wins',
    (slow) => ({
      async replace(id, expected, { email, ...next }) {
        const holder = email === undefined ? null : await slow.store.getByEmail(email)
        if (holder && holder.id !== id) return false
        if (!(await slow.store.replace(id, expected, next))) return false
        const account = slow.accounts.get(id)
        if (account && email !== undefined) slow.accounts.set(id, { ...account, email })
        return true
      },
    }),
  ),

  broken(
    'the old e-mail still finds the account',
    'after a change of e-mail the old one finds no account and is free',
    (slow) => {
      const formerIds = new Map<string, string>()
      return {
        async insert(account) {
          const inserted = await slow.store.insert(account)
          if (inserted) formerIds.set(account.email, account.id)
          return inserted
        },
        async getByEmail(email) {
          return (await slow.store.getByEmail(email)) ?? slow.store.get(formerIds.get(email) ?? '')
        },
      }
    },
  ),
]

function lateReplace(slow: SlowAccountStore): Partial<AccountStore> {
  return {
    async replace(id, expected, next) {
      const account = await slow.store.get(id)
      if (!account || !hasValues(account, expected)) return false
      if (next.email !== undefined) return slow.store.replace(id, expected, next)
      await slow.roundTrip()
      const latest = slow.accounts.get(id)
      if (latest) slow.accounts.set(id, applyChange(latest, next))
      return true
    },
  }
}
