import type { DocumentStore, StoredDocument } from '../../document-store.ts'
import { holds } from '../assertions.ts'
import { fresh } from './kit-bench.ts'

/** The collection of most tests. */
export const inCollection = 'kit-document'

export function newDocument(fields: Partial<StoredDocument> = {}): StoredDocument {
  return { collection: inCollection, id: fresh('doc'), owner: null, version: 'v1', value: 'first', ...fields }
}

export async function insertFresh(store: DocumentStore, fields: Partial<StoredDocument> = {}): Promise<StoredDocument> {
  const document = newDocument(fields)
  holds(await store.insert(document), 'insert of a fresh document must be true')
  return document
}
