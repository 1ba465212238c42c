import type { DocumentStore } from '@latchkey/store'
import {
  type Collection,
  type CollectionItem,
  createCollection,
  defineStoredShape,
  isStoredCount,
  isStoredFlag,
  isStoredText,
  type StoredCheck,
  storedList,
  storedObject,
  storedOrNull,
  storedOrOmitted,
} from '@latchkey/store/internal'
import type { RegisteredClient } from './registered-client.ts'

/** The value of a client in its store. Secrets are digests. */
export type ClientValue = Omit<RegisteredClient, 'id'>

const isKey: StoredCheck = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

const shape = defineStoredShape<ClientValue>({
  name: 'client',
  members: {
    name: isStoredText,
    kind: (value) => value === 'web' || value === 'native',
    authentication: storedList(isStoredText),
    secretHashes: storedList(isStoredText),
    jwks: storedOrNull(storedObject({ keys: storedList(isKey) })),
    grantTypes: storedList(isStoredText),
    redirectUris: storedList(isStoredText),
    postLogoutRedirectUris: storedList(isStoredText),
    backchannelLogoutUri: storedOrNull(isStoredText),
    // Clients of an earlier release lack this member.
    idTokenSignedResponseAlg: storedOrOmitted(storedOrNull(isStoredText)),
    scopes: storedList(isStoredText),
    firstParty: storedOrOmitted(isStoredFlag),
    isDisabled: isStoredFlag,
    createdAt: isStoredCount,
  },
})

export type StoredClients = Collection<ClientValue>

export function openStoredClients(documents: DocumentStore, storedVersion: () => number): StoredClients {
  return createCollection({ documents, name: 'oauth-client', shape, storedVersion })
}

/** Returns the client of a document, without members that this release does not know. */
export function toRegisteredClient({ id, value }: Pick<CollectionItem<ClientValue>, 'id' | 'value'>): RegisteredClient {
  const { name, kind, authentication, secretHashes, jwks, grantTypes } = value
  const { redirectUris, postLogoutRedirectUris, backchannelLogoutUri, ...more } = value
  const { idTokenSignedResponseAlg = null, scopes, firstParty = false, isDisabled, createdAt } = more
  const uris = { redirectUris, postLogoutRedirectUris, backchannelLogoutUri, idTokenSignedResponseAlg }
  return {
    id,
    name,
    kind,
    authentication,
    secretHashes,
    jwks,
    grantTypes,
    ...uris,
    scopes,
    firstParty,
    isDisabled,
    createdAt,
  }
}
