import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import {
  type CarelessStore,
  carelessChanges,
  carelessLists,
  carelessMethods,
  carelessTexts,
  type FieldPlace,
} from '@latchkey/test-services'

const create = () => createMemoryDocumentStore()
const inAll = (member: string): readonly FieldPlace[] =>
  ['insert', 'replace', 'remove'].map((method) => [method, 0, member] as const)

export const carelessDocuments: readonly CarelessStore<DocumentStore>[] = [
  ...carelessTexts('id', create, [...inAll('id'), ['get', 1]]),
  ...carelessTexts('owner', create, [
    ['insert', 0, 'owner'],
    ['listByOwner', 0],
    ['removeByOwner', 0],
  ]),
  ...carelessTexts('version', create, [...inAll('version'), ['replace', 1, 'version']]),
  ...carelessTexts('value', create, [
    ['insert', 0, 'value'],
    ['replace', 1, 'value'],
  ]),
  ...carelessChanges(create, ['insert', 'replace', 'remove']),
  ...carelessLists(create, [
    ['list', 1],
    ['listByOwner', 1],
  ]),
  ...carelessMethods<DocumentStore>(create, {
    'insert overwrites': (sound) => ({
      async insert(document) {
        await sound.remove({ collection: document.collection, id: document.id })
        return sound.insert(document)
      },
    }),
    'an id is unique in all collections': (sound) => {
      const ids = new Set<string>()
      return { insert: async (document) => !ids.has(document.id) && ids.add(document.id) && sound.insert(document) }
    },
    'collections are cut at 32 characters': (sound) => ({
      insert: (document) => sound.insert({ ...document, collection: document.collection.slice(0, 32) }),
    }),
    'get returns undefined for none': (sound) => ({
      get: async (...given) => (await sound.get(...given)) ?? (undefined as never),
    }),
    'get leaves out the owner': (sound) => ({
      async get(...given) {
        const found = await sound.get(...given)
        return found && { ...found, owner: null }
      },
    }),
    'replace ignores the version': (sound) => ({
      async replace(current, next) {
        const found = await sound.get(current.collection, current.id)
        return found ? sound.replace(found, next) : false
      },
    }),
    'replace keeps the version': (sound) => ({
      replace: (current, next) => sound.replace(current, { ...next, version: current.version }),
    }),
    'replace keeps the value': (sound) => ({
      async replace(current, next) {
        const found = await sound.get(current.collection, current.id)
        return sound.replace(current, { ...next, value: found?.value ?? '' })
      },
    }),
    'replace creates': (sound) => ({
      async replace(current, next) {
        return (await sound.replace(current, next)) || sound.insert({ ...current, ...next, owner: null })
      },
    }),
    'remove ignores the version': (sound) => ({ remove: ({ collection, id }) => sound.remove({ collection, id }) }),
    'remove without a version removes nothing': (sound) => ({
      remove: async (document) => document.version !== undefined && sound.remove(document),
    }),
    'list has every collection': (sound) => ({
      list: (collection, page) => sound.list(collection.slice(0, 4), page),
    }),
    'listByOwner ignores the collections': (sound) => ({
      listByOwner: (owner, { collections: _all, ...page } = {}) => sound.listByOwner(owner, page),
    }),
    'listByOwner takes no collection for all': (sound) => ({
      listByOwner: (owner, { collections = [], ...page } = {}) =>
        sound.listByOwner(owner, { ...page, ...(collections.length > 0 && { collections }) }),
    }),
    'removeByOwner ignores the collections': (sound) => ({ removeByOwner: (owner) => sound.removeByOwner(owner) }),
    'removeByOwner takes no collection for all': (sound) => ({
      removeByOwner: (owner, { collections = [] } = {}) =>
        sound.removeByOwner(owner, collections.length > 0 ? { collections } : {}),
    }),
    'removeByOwner does nothing': () => ({ removeByOwner: async () => 0 }),
    'removeByOwner answers nothing': (sound) => ({
      removeByOwner: async (...given) => void (await sound.removeByOwner(...given)) as never,
    }),
    'names another contract': (sound) => ({ capabilities: { ...sound.capabilities, contract: 2 } }),
    'is eventual': (sound) => ({ capabilities: { ...sound.capabilities, consistency: 'eventual' } }),
  }),
]
