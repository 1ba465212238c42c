import {
  defineStoredShape,
  isStoredCount,
  isStoredFlag,
  isStoredText,
  type StoredCheck,
  type StoredShape,
  storedList,
  storedObject,
  storedOrNull,
} from '@latchkey/store'
import type { RegisteredClient } from './registered-client.ts'

/** The value of a client in its store. Secrets are digests. */
export type ClientValue = Omit<RegisteredClient, 'id'>

const isKey: StoredCheck = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

export const clientShape: StoredShape<ClientValue> = defineStoredShape<ClientValue>({
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
    // Clients of an earlier release have none.
    backchannelLogoutUri: (value) => value === undefined || storedOrNull(isStoredText)(value),
    scopes: storedList(isStoredText),
    isDisabled: isStoredFlag,
    createdAt: isStoredCount,
  },
})

/** Returns the client of a stored value. */
export function toRegisteredClient(id: string, text: string): RegisteredClient {
  const stored = clientShape.parse(text)
  const { name, kind, authentication, secretHashes, jwks, grantTypes } = stored
  const { redirectUris, postLogoutRedirectUris, backchannelLogoutUri = null, ...more } = stored
  const { scopes, isDisabled, createdAt } = more
  const uris = { redirectUris, postLogoutRedirectUris, backchannelLogoutUri }
  return { id, name, kind, authentication, secretHashes, jwks, grantTypes, ...uris, scopes, isDisabled, createdAt }
}
