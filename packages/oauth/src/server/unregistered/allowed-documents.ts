import type { DocumentStore } from '@latchkey/store'
import {
  type Collection,
  createCollection,
  defineStoredShape,
  documentId,
  isStoredText,
  type StoredCheck,
  type StoredShape,
  storedList,
  storedObject,
  storedOrOmitted,
} from '@latchkey/store/internal'
import type { MetadataClientDocument } from '../metadata-clients/metadata-client-reader.ts'

const isKey: StoredCheck = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isKeys = storedObject({ keys: storedList(isKey) })

/** The stored members of a document. */
const members: { readonly [Name in keyof MetadataClientDocument]-?: StoredCheck } = {
  clientId: isStoredText,
  clientName: isStoredText,
  redirectUris: storedList(isStoredText),
  tokenEndpointAuthMethod: (value) => value === 'none' || value === 'private_key_jwt',
  jwks: storedOrOmitted(isKeys),
  grantTypes: storedList(isStoredText),
  scope: storedOrOmitted(isStoredText),
}

/** Whether a stored value is a document of a client. */
export const isStoredDocument: StoredCheck = storedObject(members)

/** A stored document of a client. */
export const documentShape: StoredShape<MetadataClientDocument> = defineStoredShape<MetadataClientDocument>({
  name: 'document of a client',
  members,
})

/** The documents of clients at their latest consent. */
export interface AllowedDocuments {
  get(clientId: string): Promise<MetadataClientDocument | null>
  /** Stores a document, which replaces an earlier document of the client. */
  put(document: MetadataClientDocument): Promise<void>
  /** Stores new keys of a client, if its document is stored. */
  putKeys(clientId: string, jwks: NonNullable<MetadataClientDocument['jwks']>): Promise<void>
}

export function createAllowedDocuments(documents: DocumentStore, storedVersion: () => number): AllowedDocuments {
  const allowed: Collection<MetadataClientDocument> = createCollection({
    documents,
    name: 'metadata-clients',
    shape: documentShape,
    storedVersion,
  })
  return {
    async get(clientId) {
      const found = await allowed.get(documentId(clientId))
      return found && pickDocument(found.value)
    },
    async put(document) {
      // Written only if it changes the document, so that many concurrent consents do not wait for one another.
      await allowed.put(documentId(document.clientId), null, (current) =>
        current && isSameDocument(pickDocument(current.value), document) ? null : document,
      )
    },
    async putKeys(clientId, jwks) {
      // Strangers can cause a read of the keys, so unchanged keys are not written.
      await allowed.update(documentId(clientId), ({ value }) =>
        JSON.stringify(value.jwks) === JSON.stringify(jwks) ? null : { ...value, jwks },
      )
    },
  }
}

/** Returns a document without members that this release does not know. */
function pickDocument(value: MetadataClientDocument): MetadataClientDocument {
  const { clientId, clientName, redirectUris, tokenEndpointAuthMethod, jwks, grantTypes, scope } = value
  const optional = { ...(jwks !== undefined && { jwks }), ...(scope !== undefined && { scope }) }
  return { clientId, clientName, redirectUris, tokenEndpointAuthMethod, grantTypes, ...optional }
}

export function isSameDocument(left: MetadataClientDocument, right: MetadataClientDocument): boolean {
  return JSON.stringify(pickDocument(left)) === JSON.stringify(pickDocument(right))
}
