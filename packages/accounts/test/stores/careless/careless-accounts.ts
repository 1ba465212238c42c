import { type AccountChange, type AccountStore, createMemoryAccountStore } from '@latchkey/accounts'
import {
  type CarelessStore,
  carelessChanges,
  carelessLists,
  carelessMethods,
  carelessNumbers,
  carelessTexts,
  type FieldPlace,
} from '@latchkey/test-services'

const create = () => createMemoryAccountStore()
type Store = ReturnType<typeof create>
const fields = ['email', 'name', 'roles', 'status', 'passwordHash', 'epoch', 'keptKey', 'enrolled'] as const

const inChanges = (member: string): readonly FieldPlace[] => [
  ['insert', 0, member],
  ['replace', 1, member],
  ['replace', 2, member],
]
const without = (change: AccountChange, field: keyof AccountChange): AccountChange =>
  Object.fromEntries(Object.entries(change).filter(([name]) => name !== field))

const forgotten = Object.fromEntries(
  fields.flatMap((field) => [
    [
      `replace does not compare "${field}"`,
      (sound: Store) => ({
        replace: (id: string, expected: AccountChange, next: AccountChange) =>
          sound.replace(id, without(expected, field), next),
      }),
    ],
    [
      `replace does not set "${field}"`,
      (sound: Store) => ({
        replace: (id: string, expected: AccountChange, next: AccountChange) =>
          sound.replace(id, expected, without(next, field)),
      }),
    ],
  ]),
)

export const carelessAccounts: readonly CarelessStore<Store>[] = [
  ...carelessTexts('id', create, [
    ['insert', 0, 'id'],
    ['get', 0],
    ['replace', 0],
    ['remove', 0],
  ]),
  // What is canonical, a hash or a key has no other form of the same text.
  ...carelessTexts('email', create, [...inChanges('email'), ['getByEmail', 0]], ['without accents', 'in Latin-1']),
  ...carelessTexts('name', create, inChanges('name'), ['in lower case', 'without accents', 'in Latin-1']),
  ...carelessTexts('passwordHash', create, inChanges('passwordHash'), ['in lower case', 'cut at 255 characters']),
  ...carelessTexts('keptKey', create, inChanges('keptKey').slice(1), ['in lower case', 'cut at 255 characters']),
  ...carelessNumbers('epoch', create, inChanges('epoch')),
  ...carelessChanges(create, ['insert', 'replace', 'remove']),
  ...carelessLists(create, [['list', 0]]),
  ...carelessMethods<Store>(create, {
    ...forgotten,
    'remove does not compare the epoch': (sound) => ({ remove: (id) => sound.remove(id) }),
    'insert overwrites': (sound) => ({
      async insert(account) {
        await sound.remove(account.id)
        return sound.insert(account)
      },
    }),
    'insert keeps a key of the caller': (sound) => ({
      async insert(account) {
        const isStored = await sound.insert(account)
        return isStored && sound.replace(account.id, {}, { keptKey: '' })
      },
    }),
    'roles are sorted': (sound) => ({
      insert: (account) => sound.insert({ ...account, roles: account.roles.toSorted() }),
    }),
    'roles are joined by commas': (sound) => ({
      insert: (account) => sound.insert({ ...account, roles: account.roles.join().split(',') }),
    }),
    'every account is active': (sound) => ({ insert: (account) => sound.insert({ ...account, status: 'active' }) }),
    'get finds by address, too': (sound) => ({ get: async (id) => (await sound.get(id)) ?? sound.getByEmail(id) }),
    'getByEmail ignores letter case': (sound) => ({ getByEmail: (email) => sound.getByEmail(email.toLowerCase()) }),
    'getByEmail finds what was removed': (sound) => {
      const known = new Map<string, Awaited<ReturnType<AccountStore['get']>>>()
      return {
        async getByEmail(email) {
          const found = await sound.getByEmail(email)
          if (found) known.set(email, found)
          return found ?? known.get(email) ?? null
        },
      }
    },
    'replace creates': (sound) => ({
      async replace(id, expected, next) {
        if (await sound.replace(id, expected, next)) return true
        if (await sound.get(id)) return false
        await sound.insert({
          id,
          email: `${id}@example.com`,
          name: '',
          roles: [],
          status: 'active',
          passwordHash: null,
          epoch: 0,
          ...next,
        })
        return false
      },
    }),
    'a raise of the epoch keeps the key': (sound) => ({
      async replace(id, expected, next) {
        const found = await sound.get(id)
        const keptKey = next.keptKey === undefined ? (found?.keptKey ?? null) : next.keptKey
        return sound.replace(id, expected, { ...next, keptKey })
      },
    }),
    'every replace clears the key': (sound) => ({
      replace: (id, expected, next) => sound.replace(id, expected, { keptKey: null, ...next }),
    }),
    'getMany reads one': (sound) => ({ getMany: async (ids) => (await sound.getMany?.(ids.slice(0, 1))) ?? [] }),
    'getMany reads 100': (sound) => ({ getMany: async (ids) => (await sound.getMany?.(ids.slice(0, 100))) ?? [] }),
    'getMany has a place for each id': (sound) => ({
      getMany: async (ids) => Promise.all(ids.map((id) => sound.get(id))) as never,
    }),
    'listRoleHolders has one of each list': (sound) => ({
      async listRoleHolders() {
        const found = (await sound.listRoleHolders?.()) ?? []
        return [...Map.groupBy(found, ({ roles }) => roles.join()).values()].flatMap((held) => held.slice(0, 1))
      },
    }),
    'listRoleHolders is empty': () => ({ listRoleHolders: async () => [] }),
    'list narrows by the beginning of a name': (sound) => ({
      async list({ text = '', ...page } = {}) {
        const { items, ...rest } = await sound.list(page)
        return { items: items.filter(({ name }) => name.toLowerCase().startsWith(text)), ...rest }
      },
    }),
    'reserve ignores the epoch': (sound) => ({
      reservations: {
        ...sound.reservations,
        reserve: async (address) =>
          sound.reservations.reserve(address, (await sound.get(address.accountId))?.epoch ?? 0),
      },
    }),
    'reserve does nothing': (sound) => ({ reservations: { ...sound.reservations, reserve: async () => true } }),
    'reserve is always true': (sound) => ({
      reservations: {
        ...sound.reservations,
        async reserve(...given) {
          await sound.reservations.reserve(...given)
          return true
        },
      },
    }),
    'find returns what has ended': (sound) => ({
      reservations: { ...sound.reservations, find: (email) => sound.reservations.find(email, 0) },
    }),
    'listByAccount has what has ended': (sound) => ({
      reservations: { ...sound.reservations, listByAccount: (id) => sound.reservations.listByAccount(id, 0) },
    }),
    'listByAccount has the latest first': (sound) => ({
      reservations: {
        ...sound.reservations,
        listByAccount: async (...given) => (await sound.reservations.listByAccount(...given)).toReversed(),
      },
    }),
    'release does nothing': (sound) => ({ reservations: { ...sound.reservations, release: async () => {} } }),
    'release is a millisecond early': (sound) => ({
      reservations: { ...sound.reservations, release: (now) => sound.reservations.release(now + 1) },
    }),
    'release removes all': (sound) => ({
      reservations: { ...sound.reservations, release: () => sound.reservations.release(Number.MAX_SAFE_INTEGER) },
    }),
  }),
]
