import type { StoredIdentity } from '@latchkey/accounts'

/** Identities that were read lately, by the key of their record. */
export interface KeptIdentities {
  /**
   * Returns what was read of a key with these ids of denials, unless that was too long ago or has changed since, or its record
   * is about to expire: no message says that a use has moved the expiry.
   */
  get(key: string, denialIds: readonly string[]): StoredIdentity | null
  /** Starts a read. Its result is kept unless a change is announced meanwhile. */
  begin(): (key: string, denialIds: readonly string[], found: StoredIdentity) => void
  /** Forgets what depends on this: a record, an account or a denial, as `nameOf` names them. */
  drop(name: string): void
  clear(): void
}

/** The names of changes that invalidate an identity. */
export const nameOf = {
  record: (key: string): string => `record ${key}`,
  account: (id: string): string => `account ${id}`,
  denial: (id: string): string => `denial ${id}`,
} as const

interface Entry {
  readonly stored: StoredIdentity
  readonly names: readonly string[]
  readonly asked: string
  /** The start of its read, on the monotonic clock. */
  readonly readAt: number
}

/** Two of them are looked through: when the newer is full, the older is forgotten. */
interface Generation {
  readonly entries: Map<string, Entry>
  /** The keys of the entries that depend on a name. */
  readonly keys: Map<string, Set<string>>
}

export interface KeptIdentitiesOptions {
  readonly maxStalenessMs: number
  /** How many are kept at most. */
  readonly max: number
  /** The clock by which records expire. */
  readonly now: () => number
}

/** A request may look at the expiry so much later. */
const marginMs = 1000

export function createKeptIdentities({ maxStalenessMs, max, now }: KeptIdentitiesOptions): KeptIdentities {
  let generations: readonly [newer: Generation, older: Generation] = [createGeneration(), createGeneration()]
  let changes = 0

  function add(key: string, entry: Entry): void {
    if (generations[0].entries.size >= max / 2) generations = [createGeneration(), generations[0]]
    const [newer] = generations
    forget(newer, key)
    newer.entries.set(key, entry)
    for (const name of entry.names) newer.keys.set(name, (newer.keys.get(name) ?? new Set()).add(key))
  }

  return {
    get(key, denialIds) {
      const entry = generations[0].entries.get(key) ?? generations[1].entries.get(key)
      if (!entry || performance.now() - entry.readAt >= maxStalenessMs) return null
      if (entry.stored.record.expiresAt - now() <= marginMs) return null
      return entry.asked === denialIds.join() ? entry.stored : null
    },
    begin() {
      const [before, readAt] = [changes, performance.now()]
      return (key, denialIds, found) => {
        if (changes !== before) return
        const names = [nameOf.record(key), nameOf.account(found.account.id), ...denialIds.map(nameOf.denial)]
        add(key, { stored: freeze(found), names, asked: denialIds.join(), readAt })
      }
    },
    drop(name) {
      changes++
      for (const generation of generations) {
        for (const key of generation.keys.get(name) ?? []) forget(generation, key)
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

/** Forgets an entry and its names. Each token of a family has its own name, which would stay otherwise. */
function forget({ entries, keys }: Generation, key: string): void {
  const entry = entries.get(key)
  if (!entry) return
  entries.delete(key)
  for (const name of entry.names) {
    const named = keys.get(name)
    named?.delete(key)
    if (named?.size === 0) keys.delete(name)
  }
}

/** Several requests get the same. */
function freeze(stored: StoredIdentity): StoredIdentity {
  const { account, record } = stored
  for (const shared of [account.roles, account.enrolled, account, record]) Object.freeze(shared)
  return Object.freeze(stored)
}
