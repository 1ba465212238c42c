import type { DocumentStore, StoredDocument } from '../../document-store.ts'
import { type OwnedModel, ownedModel } from '../history/owned-model.ts'

/** One document of the contract. */
export const documentModel: OwnedModel<StoredDocument> = ownedModel({
  methods: ['insert', 'get', 'replace', 'remove', 'removeByOwner'],
  nameOf({ method, input: [first, id] }) {
    if (method === 'removeByOwner') return null
    const { collection, ...document } = method === 'get' ? { collection: first, id } : (first as StoredDocument)
    return JSON.stringify([collection, document.id])
  },
  changed(document, { method, input }) {
    if (method === 'insert') return document === null && (input[0] as StoredDocument)
    if (document === null) return false
    const [{ version = document.version }, next] = input as Parameters<DocumentStore['replace']>
    if (document.version !== version) return false
    return method === 'remove' ? null : { ...document, version: next.version, value: next.value }
  },
  isLeft({ collection }, options) {
    const { collections } = (options ?? {}) as { readonly collections?: readonly string[] }
    return collections?.includes(collection) === false
  },
})
