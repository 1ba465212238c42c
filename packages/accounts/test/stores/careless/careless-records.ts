import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import {
  type CarelessStore,
  carelessChanges,
  carelessLists,
  carelessMethods,
  carelessNumbers,
  carelessTexts,
  type FieldPlace,
} from '@latchkey/test-services'
import { kitClock } from './kit-clock.ts'

const create = () => createMemoryRecordStore({ now: kitClock.now })
const inAll = (member: string, index: number, others: readonly FieldPlace[] = []): readonly FieldPlace[] => [
  ...(['insert', 'replace', 'touch'] as const).map((method) => [method, 0, member] as const),
  ...others.map(([method]) => [method, index] as const),
]
const key = inAll('key', 0, [
  ['get', 0],
  ['remove', 0],
])
const owner = inAll('owner', 0, [
  ['listByOwner', 0],
  ['removeByOwner', 0],
])

/** An index of owners from which entries are removed 60 s after the expiry that these methods have set. */
const withStaleIndex =
  (raising: readonly ('touch' | 'replace')[]) =>
  (sound: RecordStore): Partial<RecordStore> => {
    const scores = new Map<string, number>()
    const isListed = (record: { readonly key: string }) => (scores.get(record.key) ?? 0) > sound.now() - 60_000
    const listed = async (...given: Parameters<RecordStore['listByOwner']>) => {
      const { items, ...rest } = await sound.listByOwner(...given)
      return { items: items.filter(isListed), ...rest }
    }
    return {
      async insert(record) {
        const isStored = await sound.insert(record)
        if (isStored) scores.set(record.key, record.expiresAt)
        return isStored
      },
      touch(current, expiresAt) {
        if (raising.includes('touch')) scores.set(current.key, expiresAt)
        return sound.touch(current, expiresAt)
      },
      replace(current, next) {
        if (raising.includes('replace')) scores.set(current.key, next.expiresAt)
        return sound.replace(current, next)
      },
      listByOwner: listed,
    }
  }

export const carelessRecords: readonly CarelessStore<RecordStore>[] = [
  ...carelessTexts('key', create, key),
  ...carelessTexts('owner', create, owner),
  ...carelessTexts('value', create, [
    ['insert', 0, 'value'],
    ['replace', 1, 'value'],
  ]),
  ...carelessNumbers('expiresAt', create, [
    ['insert', 0, 'expiresAt'],
    ['replace', 1, 'expiresAt'],
    ['touch', 1],
  ]),
  ...carelessChanges(create, ['insert', 'replace', 'touch', 'remove']),
  ...carelessLists(create, [['listByOwner', 1]]),
  ...carelessMethods<RecordStore>(create, {
    'get returns records that have expired': (sound) => {
      const known = new Map<string, Awaited<ReturnType<RecordStore['get']>>>()
      return {
        async get(name) {
          const found = await sound.get(name)
          if (found) known.set(name, found)
          return found ?? known.get(name) ?? null
        },
      }
    },
    'get returns undefined for none': (sound) => ({
      get: async (name) => (await sound.get(name)) ?? (undefined as never),
    }),
    'get returns the version as a text': (sound) => ({
      async get(name) {
        const found = await sound.get(name)
        return found && { ...found, version: String(found.version) as never }
      },
    }),
    'insert overwrites': (sound) => ({
      async insert(record) {
        await sound.remove(record.key)
        return sound.insert(record)
      },
    }),
    'replace ignores the version': (sound) => ({
      async replace(current, next) {
        const found = await sound.get(current.key)
        return found ? sound.replace({ ...current, version: found.version }, next) : false
      },
    }),
    'replace only extends': (sound) => ({
      async replace(current, next) {
        const found = await sound.get(current.key)
        return sound.replace(current, { ...next, expiresAt: Math.max(next.expiresAt, found?.expiresAt ?? 0) })
      },
    }),
    'replace keeps the expiry': (sound) => ({
      async replace(current, next) {
        const found = await sound.get(current.key)
        return sound.replace(current, { ...next, expiresAt: found?.expiresAt ?? next.expiresAt })
      },
    }),
    'replace keeps the value': (sound) => ({
      async replace(current, next) {
        const found = await sound.get(current.key)
        return sound.replace(current, { ...next, value: found?.value ?? next.value })
      },
    }),
    'replace creates': (sound) => ({
      async replace(current, next) {
        return (await sound.replace(current, next)) || sound.insert({ ...current, ...next })
      },
    }),
    'touch creates': (sound) => ({
      async touch(current, expiresAt) {
        return (await sound.touch(current, expiresAt)) || sound.insert({ ...current, value: '', expiresAt })
      },
    }),
    'touch raises the version': (sound) => ({
      async touch({ key: name }, expiresAt) {
        const found = await sound.get(name)
        return found ? sound.replace(found, { value: found.value, expiresAt }) : false
      },
    }),
    'touch only extends': (sound) => ({
      async touch(current, expiresAt) {
        const found = await sound.get(current.key)
        return sound.touch(current, Math.max(expiresAt, found?.expiresAt ?? 0))
      },
    }),
    'touch leaves the first expiry in the index': withStaleIndex(['replace']),
    'replace leaves the first expiry in the index': withStaleIndex(['touch']),
    'remove leaves what has expired': (sound) => ({
      remove: async (name) => (await sound.get(name)) !== null && sound.remove(name),
    }),
    'removeByOwner ignores "except"': (sound) => ({ removeByOwner: (name) => sound.removeByOwner(name) }),
    'removeByOwner removes a page': (sound) => ({
      async removeByOwner(name, { except } = {}) {
        const { items } = await sound.listByOwner(name)
        const others = items.filter((record) => record.key !== except)
        return (await Promise.all(others.map((record) => sound.remove(record.key)))).filter(Boolean).length
      },
    }),
    'removeByOwner does nothing': () => ({ removeByOwner: async () => 0 }),
    'removeByOwner answers nothing': (sound) => ({
      removeByOwner: async (...given) => void (await sound.removeByOwner(...given)) as never,
    }),
    'sweep removes nothing': () => ({ sweep: async () => 0 }),
    'sweep ignores its limit': (sound) => ({ sweep: async () => (await sound.sweep?.(100_000)) ?? 0 }),
    'sweep removes one less than its limit': (sound) => ({
      sweep: async (limit) => (await sound.sweep?.(Math.max(1, limit - 1))) ?? 0,
    }),
    'sweep always answers its limit': (sound) => ({
      async sweep(limit) {
        await sound.sweep?.(limit)
        return limit
      },
    }),
    'now is in seconds': (sound) => ({ now: () => Math.floor(sound.now() / 1000) }),
    'now has fractions': (sound) => ({ now: () => sound.now() + 0.5 }),
    'now stands still': (sound) => {
      const started = sound.now()
      return { now: () => started }
    },
    'names another contract': (sound) => ({ capabilities: { ...sound.capabilities, contract: 2 } }),
  }),
]
