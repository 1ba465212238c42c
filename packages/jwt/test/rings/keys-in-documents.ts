import type { JwtAlgorithm } from '@latchkey/jwt'
import type { DocumentStore } from '@latchkey/store'
import { listPages } from '@latchkey/store/internal'

/** A signing key as a document store holds it. */
export interface KeyAtRest {
  readonly id: string
  readonly purpose: string
  readonly algorithm: JwtAlgorithm
  readonly sealed: string
  readonly createdAt: number
  readonly retiredAt: number | null
}

const collection = 'signing-key'
let written = 0

/** The keys in a document store, as another program reads and writes them. */
export function keysIn(documents: DocumentStore) {
  return {
    async list(): Promise<readonly KeyAtRest[]> {
      const stored = await listPages((page) => documents.list(collection, page))
      const keys = stored.map(({ id, value }): KeyAtRest => {
        const { v: _version, ...key } = JSON.parse(value)
        return { id, ...key }
      })
      return keys.sort((left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1))
    },
    async insert({ id, ...key }: KeyAtRest): Promise<void> {
      const value = JSON.stringify({ v: 1, ...key })
      await documents.insert({ collection, id, owner: null, version: `w${++written}`, value })
    },
    remove: (id: string) => documents.remove({ collection, id }),
  }
}
