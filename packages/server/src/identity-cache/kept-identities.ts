import type { StoredIdentity } from '@latchkey/accounts'

/** Identities that were read lately, by the key of their record. */
export interface KeptIdentities {
  /** Returns what was read of a key with these ids of denials, unless that was too long ago or has changed since. */
  get(key: string, denialIds: readonly string[]): StoredIdentity | null
  /** Begins a read: what it finds is kept unless anything has changed in the meantime. */
  begin(): (key: string, denialIds: readonly string[], found: StoredIdentity) => void
  /** Forgets what depends on this: a record, an account or a denial, as `nameOf` names them. */
  drop(name: string): void
  clear(): void
}

/** What an identity depends on. */
export const nameOf = {
  record: (key: string): string => `record ${key}`,
  account: (id: string): string => `account ${id}`,
  denial: (id: string): string => `denial ${id}`,
} as const

interface Entry {
  readonly stored: StoredIdentity
  readonly asked: string
  /** When its read began, on the monotonic clock. */
  readonly readAt: number
}

/** Two of them are looked through: when the newer is full, the older is forgotten. */
interface Generation {
  readonly entries: Map<string, Entry>
  /** The keys of what depends on a name. */
  readonly keys: Map<string, Set<string>>
}

export interface KeptIdentitiesOptions {
  readonly maxStalenessMs: number
  /** How many are kept at most. */
  readonly max: number
}

export function createKeptIdentities({ maxStalenessMs, max }: KeptIdentitiesOptions): KeptIdentities {
  let generations: readonly [newer: Generation, older: Generation] = [createGeneration(), createGeneration()]
  let changes = 0

  function add(key: string, entry: Entry, denialIds: readonly string[]): void {
    if (generations[0].entries.size >= max / 2) generations = [createGeneration(), generations[0]]
    const [{ entries, keys }] = generations
    entries.set(key, entry)
    const names = [nameOf.record(key), nameOf.account(entry.stored.account.id), ...denialIds.map(nameOf.denial)]
    for (const name of names) keys.set(name, (keys.get(name) ?? new Set()).add(key))
  }

  return {
    get(key, denialIds) {
      const entry = generations[0].entries.get(key) ?? generations[1].entries.get(key)
      if (!entry || performance.now() - entry.readAt >= maxStalenessMs) return null
      return entry.asked === denialIds.join() ? entry.stored : null
    },
    begin() {
      const [before, readAt] = [changes, performance.now()]
      return (key, denialIds, found) => {
        if (changes === before) add(key, { stored: freeze(found), asked: denialIds.join(), readAt }, denialIds)
      }
    },
    drop(name) {
      changes++
      for (const { entries, keys } of generations) {
        for (const key of keys.get(name) ?? []) entries.delete(key)
        keys.delete(name)
      }
    },
    clear() {
      changes++
      generations = [createGeneration(), createGeneration()]
    },
  }
}

function createGeneration(): Generation {
  return { entries: new Map(), keys: new Map() }
}

/** Several requests get the same. */
function freeze(stored: StoredIdentity): StoredIdentity {
  const { account, record } = stored
  for (const shared of [account.roles, account.enrolled, account, record]) Object.freeze(shared)
  return Object.freeze(stored)
}
