import type { DocumentStore } from '@latchkey/store'
import { createClientBlocks } from '../clients/client-blocks.ts'
import { hostOfClientId } from '../clients/client-host.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import { createClientIdCheck } from '../metadata-clients/client-id.ts'
import { createMetadataClientReader } from '../metadata-clients/create-metadata-client-reader.ts'
import type { MetadataClientDocument, MetadataClientReading } from '../metadata-clients/metadata-client-reader.ts'
import { createAllowedDocuments, isSameDocument } from './allowed-documents.ts'
import type { IsRegisteredName } from './registered-names.ts'

/** Unregistered clients: the id of each is the URL of its metadata document. */
export interface MetadataClients {
  /** Whether an id is a URL, also if it is an invalid one. */
  isMeant(id: string | null): id is string
  /** Reads the document of a client at the first step of a request. */
  begin(id: string, address: string): Promise<BegunClient>
  /** Returns the client of a document from an earlier step; `null`: the client is not allowed now. */
  of(document: MetadataClientDocument): Promise<RegisteredClient | null>
  /** Returns a client with the document of its latest consent, or `null`. It never fetches. */
  find(id: string): Promise<RegisteredClient | null>
  /** Stores the document of a client after a consent. */
  allow(document: MetadataClientDocument): Promise<void>
  /** Fetches the document of a client, and returns the client with its current keys; `null`: no document, or no keys. */
  renewKeys(client: RegisteredClient, address: string): Promise<RegisteredClient | null>
}

/**
 * The client of a new request, or the reason for its refusal. `unreadable` reveals nothing about the content of the address.
 */
export type BegunClient =
  | { readonly kind: 'client'; readonly client: RegisteredClient; readonly document: MetadataClientDocument }
  | { readonly kind: 'unreadable' | 'invalid' }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number }

/** The result of reading the document of a client. */
export interface MetadataReport {
  readonly type: 'client.metadata'
  readonly clientId: string
  readonly host: string
  readonly outcome: 'fetched' | 'changed' | 'refused' | 'failed'
  readonly reason: string | null
  readonly address?: string
}

/** The option `metadataClients`. */
export interface MetadataClientsOption {
  readonly from: 'any' | readonly string[]
  readonly except?: readonly string[]
  readonly scopes: readonly string[]
}

export interface MetadataClientsOptions {
  readonly option: MetadataClientsOption
  readonly issuer: string
  readonly documents: DocumentStore
  readonly isRegisteredName: IsRegisteredName
  readonly now: () => number
  readonly storedVersion: () => number
  readonly report: (report: MetadataReport) => void
}

/** @throws TypeError if an entry of `from` or `except` is not a host. */
export function createMetadataClients(options: MetadataClientsOptions): MetadataClients {
  const { option, issuer, documents, isRegisteredName, now, storedVersion, report } = options
  const rules = { from: option.from, except: option.except, issuer }
  const checkId = createClientIdCheck(rules)
  const reader = createMetadataClientReader({ ...rules, now })
  const allowed = createAllowedDocuments(documents, storedVersion)
  const blocks = createClientBlocks(documents, storedVersion)
  const mayAsk = async (id: string): Promise<boolean> => checkId(id).url !== null && !(await blocks.isBlocked(id))

  async function clientOf(document: MetadataClientDocument): Promise<RegisteredClient> {
    const host = hostOfClientId(document.clientId) ?? ''
    const isTaken = await isRegisteredName(document.clientName)
    return toClient(document, { name: isTaken ? host : document.clientName, scopes: option.scopes })
  }

  async function read(id: string, address: string, fresh: boolean): Promise<MetadataClientReading> {
    if (checkId(id).url !== null && (await blocks.isBlocked(id))) return { kind: 'refused', reason: 'it is blocked' }
    return reader.read(id, { address, fresh })
  }

  /** An id that breaks a rule is not passed on, because it may contain text that is not fit for logs. */
  function nameOf(id: string): { readonly clientId: string; readonly host: string } {
    const { url } = checkId(id)
    return url === null ? { clientId: '', host: '' } : { clientId: id, host: url.host }
  }

  async function tell(id: string, address: string, reading: MetadataClientReading): Promise<void> {
    const event = { type: 'client.metadata', ...nameOf(id), address } as const
    if (reading.kind === 'limited') return
    if (reading.kind !== 'client') {
      const outcome = reading.kind === 'failed' ? ('failed' as const) : ('refused' as const)
      return report({ ...event, outcome, reason: reading.reason })
    }
    if (!reading.fetched) return
    const earlier = await allowed.get(id)
    const isChanged = earlier !== null && !isSameDocument(earlier, reading.client)
    report({ ...event, outcome: isChanged ? 'changed' : 'fetched', reason: null })
  }

  return {
    isMeant: (id): id is string => id !== null && /^https?:\/\//i.test(id),
    async begin(id, address) {
      const reading = await read(id, address, false)
      await tell(id, address, reading)
      if (reading.kind === 'limited') return reading
      if (reading.kind !== 'client') return { kind: reading.kind === 'invalid' ? 'invalid' : 'unreadable' }
      return { kind: 'client', client: await clientOf(reading.client), document: reading.client }
    },
    of: async (document) => ((await mayAsk(document.clientId)) ? clientOf(document) : null),
    async find(id) {
      if (checkId(id).url === null) return null
      const [document, isBlocked] = await Promise.all([allowed.get(id), blocks.isBlocked(id)])
      return document && !isBlocked ? clientOf(document) : null
    },
    allow: (document) => allowed.put(document),
    async renewKeys({ id, authentication }, address) {
      if (!authentication.includes('private_key_jwt')) return null
      const reading = await read(id, address, true)
      await tell(id, address, reading)
      const document = reading.kind === 'client' ? reading.client : null
      if (!document?.jwks || document.tokenEndpointAuthMethod !== 'private_key_jwt') return null
      await allowed.putKeys(id, document.jwks)
      return clientOf(document)
    },
  }
}

/** Returns the client of a document in the form of a registered client. */
function toClient(
  { clientId, redirectUris, tokenEndpointAuthMethod, jwks, grantTypes, scope }: MetadataClientDocument,
  { name, scopes }: Pick<RegisteredClient, 'name' | 'scopes'>,
): RegisteredClient {
  const ownScopes = scope === undefined ? null : scope.split(' ')
  return {
    id: clientId,
    name,
    kind: 'native',
    authentication: [tokenEndpointAuthMethod],
    secretHashes: [],
    jwks: tokenEndpointAuthMethod === 'private_key_jwt' && jwks ? { keys: jwks.keys.map((key) => ({ ...key })) } : null,
    grantTypes,
    redirectUris,
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    idTokenSignedResponseAlg: null,
    scopes: scopes.filter((allowedScope) => ownScopes?.includes(allowedScope) ?? true),
    firstParty: false,
    isDisabled: false,
    createdAt: 0,
  }
}
