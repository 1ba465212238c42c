import { createMemoryRecordStore, type StoredAuditRow, type StoredRecord } from '@latchkey/store'
import type { Plant } from '../town.ts'
import { overriding } from './overriding.ts'
import type { Patch } from './patch.ts'

/** A mistake that somebody could make, written down before anybody looked whether the simulation finds it. */
export interface PlantedFault {
  readonly name: string
  readonly fault: string
  readonly plant?: Plant
  /** A change of the product's sources, where no store around it can have the fault. */
  readonly patch?: Patch
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'dropped-swap',
    fault: 'a swap of records that ignores the version',
    plant: {
      around: ({ records, ...stores }) => ({
        ...stores,
        records: overriding(records, {
          async replace(current, next) {
            const latest = await records.get(current.key)
            return latest !== null && records.replace(latest, next)
          },
        }),
      }),
    },
  },
  {
    name: 'missing-epoch-check',
    fault: 'a session of an earlier epoch of its account is accepted',
    patch: {
      file: 'packages/accounts/src/sign-in/kept-key.ts',
      old: 'return opened.epoch === epoch || (opened.epoch === epoch - 1 && opened.key === keptKey)',
      new: 'return opened.epoch <= epoch || opened.key === keptKey',
    },
  },
  {
    name: 'long-grace',
    fault: 'a used refresh token is accepted for 35 seconds more',
    plant: { terms: { grace: 45 } },
  },
  {
    name: 'stale-cache',
    fault: 'each process keeps the records that it has read, and only its own changes end that',
    plant: {
      inProcess({ records, ...stores }) {
        const kept = new Map<string, StoredRecord>()
        const forgetting = <Result>(work: () => Promise<Result>): Promise<Result> => {
          kept.clear()
          return work().finally(() => kept.clear())
        }
        return {
          ...stores,
          records: overriding(records, {
            async get(key) {
              const known = kept.get(key)
              if (known && known.expiresAt > records.now()) return known
              const read = await records.get(key)
              if (read) kept.set(key, read)
              return read
            },
            replace: (current, next) => forgetting(() => records.replace(current, next)),
            touch: (current, expiresAt) => forgetting(() => records.touch(current, expiresAt)),
            remove: (key) => forgetting(() => records.remove(key)),
            removeByOwner: (owner, options) => forgetting(() => records.removeByOwner(owner, options)),
          }),
        }
      },
    },
  },
  {
    name: 'counter-in-two-steps',
    fault: 'a counter that is read and then written',
    plant: {
      around({ counters, ...stores }, world) {
        const counts = new Map<string, { count: number; resetAt: number }>()
        const read = (key: string) => {
          const found = counts.get(key)
          return found && found.resetAt > world.now() ? found : undefined
        }
        return {
          ...stores,
          counters: overriding(counters, {
            async hit(key, windowMs, by = 1) {
              const known = read(key)
              if (!known && by <= 0) return { count: 0, resetAt: world.now() }
              const resetAt = known?.resetAt ?? Math.min(world.now() + windowMs, Number.MAX_SAFE_INTEGER)
              const next = { count: Math.max(0, (known?.count ?? 0) + by), resetAt }
              if (by === 0) return next
              await world.wait('counters.write')
              counts.set(key, next)
              return next
            },
            async reset(key) {
              counts.delete(key)
            },
          }),
        }
      },
    },
  },
  {
    name: 'sweep-by-own-clock',
    fault: 'a sweep that goes by the clock of the process',
    plant: {
      around: (stores, world) => {
        let clock = world.now
        const records = createMemoryRecordStore({ now: () => clock() })
        return {
          ...stores,
          records: overriding(records, {
            sweep(limit) {
              clock = Date.now
              const swept = records.sweep?.(limit) ?? Promise.resolve(0)
              clock = world.now
              return swept
            },
          }),
        }
      },
    },
  },
  {
    name: 'effect-before-record',
    fault: 'the row of an intention is written with that of its outcome, after the effect',
    plant: {
      inProcess({ audit, ...stores }) {
        let kept: readonly StoredAuditRow[] = []
        return {
          ...stores,
          audit: overriding(audit, {
            async append(rows) {
              if (rows.every(({ state }) => state === 'intended' || state === 'checkpoint')) {
                kept = [...kept, ...rows]
                return true
              }
              const together = [...kept, ...rows]
              kept = []
              return audit.append(together)
            },
          }),
        }
      },
    },
  },
  {
    name: 'cleared-index',
    fault: 'a removal of the records of one owner after which those of all others are in no list of their owners',
    plant: {
      around({ records, ...stores }) {
        const known = new Set<string>()
        let unlisted: ReadonlySet<string> = new Set()
        const listed = async (owner: string) => {
          const { items } = await records.listByOwner(owner, { limit: 1000 })
          return items.filter(({ key }) => !unlisted.has(key))
        }
        return {
          ...stores,
          records: overriding(records, {
            insert(record) {
              known.add(record.key)
              return records.insert(record)
            },
            listByOwner: async (owner) => ({ items: await listed(owner) }),
            async removeByOwner(owner, { except } = {}) {
              const removed = (await listed(owner)).filter(({ key }) => key !== except)
              for (const { key } of removed) await records.remove(key)
              unlisted = new Set(known)
              return removed.length
            },
          }),
        }
      },
    },
  },
  {
    name: 'late-column',
    fault: 'the column that demands a second factor is written after the factor, not before it',
    plant: {
      inProcess({ accounts, ...stores }) {
        const late = new Map<string, readonly string[]>()
        return {
          ...stores,
          accounts: overriding(accounts, {
            async replace(id, expected, next) {
              const before = expected.enrolled ?? []
              const added = next.enrolled?.filter((kind) => !before.includes(kind)) ?? []
              if (added.length > 0 && next.epoch !== undefined) {
                late.set(id, added)
                return accounts.replace(id, expected, { ...next, enrolled: before })
              }
              const enrolled = before.filter((kind) => !late.get(id)?.includes(kind))
              return accounts.replace(id, { ...expected, ...(expected.enrolled && { enrolled }) }, next)
            },
          }),
        }
      },
    },
  },
  {
    name: 'trace-goes-with-use',
    fault: 'the trace of a used code is gone a second after its use',
    plant: {
      around: ({ records, ...stores }) => ({
        ...stores,
        records: overriding(records, {
          replace: (current, next) =>
            records.replace(
              current,
              current.key.startsWith('ac_') ? { ...next, expiresAt: records.now() + 1000 } : next,
            ),
        }),
      }),
    },
  },
]
