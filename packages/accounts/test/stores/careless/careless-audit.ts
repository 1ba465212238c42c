import { type AuditStore, createMemoryAuditStore, type StoredAuditRow } from '@latchkey/store'
import {
  type CarelessStore,
  carelessChanges,
  carelessLists,
  carelessMethods,
  carelessNumbers,
  carelessTexts,
} from '@latchkey/test-services'

const create = () => createMemoryAuditStore()
const inRows = (member: keyof StoredAuditRow) => ['append', 0, member] as const

export const carelessAudit: readonly CarelessStore<AuditStore>[] = [
  ...carelessTexts('chain', create, [inRows('chain'), ['readChain', 0], ['prune', 0], ['listChains', 0, 'after']]),
  ...carelessTexts('accountId', create, [inRows('accountId'), ['list', 0, 'accountId'], ['erasePersonal', 0]]),
  ...carelessTexts('value', create, [inRows('value')]),
  ...carelessNumbers('at', create, [inRows('at')]),
  ...carelessNumbers('sequence', create, [inRows('sequence')]),
  ...carelessChanges(create, ['append']),
  ...carelessLists(create, [['list', 0]]),
  ...carelessMethods<AuditStore>(create, {
    'append adds what it can': (sound) => ({
      async append(rows) {
        const added = await Promise.all(rows.map((row) => sound.append([row])))
        return added.every(Boolean)
      },
    }),
    'append adds the first row': (sound) => ({ append: (rows) => sound.append(rows.slice(0, 1)) }),
    'append of no rows is false': (sound) => ({ append: async (rows) => rows.length > 0 && sound.append(rows) }),
    'keeps no state': (sound) => ({ append: (rows) => sound.append(rows.map((row) => ({ ...row, state: 'done' }))) }),
    'keeps no personal data': (sound) => ({
      append: (rows) => sound.append(rows.map((row) => ({ ...row, personal: null }))),
    }),
    'list has the oldest first': (sound) => ({
      async list(query) {
        const { items, ...rest } = await sound.list(query)
        return { items: items.toReversed(), ...rest }
      },
    }),
    'list ignores the kind': (sound) => ({ list: ({ kind: _kind, ...query } = {}) => sound.list(query) }),
    'list ignores the account': (sound) => ({ list: ({ accountId: _id, ...query } = {}) => sound.list(query) }),
    'list ignores the states': (sound) => ({ list: ({ states: _states, ...query } = {}) => sound.list(query) }),
    'list ignores the decisions': (sound) => ({ list: ({ entries: _entries, ...query } = {}) => sound.list(query) }),
    'list takes no state for all': (sound) => ({
      list: ({ states = [], ...query } = {}) => sound.list({ ...query, ...(states.length > 0 && { states }) }),
    }),
    'list takes no decision for all': (sound) => ({
      list: ({ entries = [], ...query } = {}) => sound.list({ ...query, ...(entries.length > 0 && { entries }) }),
    }),
    'list asks for 500 decisions at most': (sound) => ({
      list: ({ entries, ...query } = {}) =>
        sound.list({ ...query, ...(entries && { entries: entries.slice(0, 500) }) }),
    }),
    'readChain begins with "after"': (sound) => ({
      readChain: (chain, { after, limit }) => sound.readChain(chain, { after: after - 1, limit }),
    }),
    'readChain ignores its limit': (sound) => ({
      readChain: (chain, { after }) => sound.readChain(chain, { after, limit: 100_000 }),
    }),
    'readChain is in no order': (sound) => ({
      readChain: async (...given) => (await sound.readChain(...given)).toReversed(),
    }),
    'listChains begins anew': (sound) => ({ listChains: ({ limit }) => sound.listChains({ after: null, limit }) }),
    'listChains has no heads': (sound) => ({
      listChains: async (query) => (await sound.listChains(query)).map((chain) => ({ ...chain, head: null })),
    }),
    'listChains has no last row': (sound) => ({
      listChains: async (query) => (await sound.listChains(query)).map((chain) => ({ ...chain, last: chain.first })),
    }),
    'latestHeads has the earliest first': (sound) => ({
      latestHeads: async (limit) => (await sound.latestHeads(limit)).toReversed(),
    }),
    'latestHeads ignores its limit': (sound) => ({ latestHeads: () => sound.latestHeads(100_000) }),
    'latestHeads has no values': (sound) => ({
      latestHeads: async (limit) => (await sound.latestHeads(limit)).map((head) => ({ ...head, value: '' })),
    }),
    'erasePersonal does nothing': () => ({ erasePersonal: async () => 0 }),
    'erasePersonal always counts': (sound) => ({
      async erasePersonal(accountId) {
        await sound.erasePersonal(accountId)
        return 1
      },
    }),
    'prune does nothing': () => ({ prune: async () => 0 }),
    'prune removes the row at the place, too': (sound) => ({
      prune: (chain, before) => sound.prune(chain, before + 1),
    }),
    'prune leaves one row more': (sound) => ({ prune: (chain, before) => sound.prune(chain, before - 1) }),
    'prune removes the whole chain': (sound) => ({
      prune: (chain) => sound.prune(chain, Number.MAX_SAFE_INTEGER),
    }),
  }),
]
