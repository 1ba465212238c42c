import { type ClientInput, clientFrom, findClientFault } from './check-client.ts'
import { hashClientSecret } from './client-secret.ts'
import type { RegisteredClient } from './registered-client.ts'

/** A client that is written in code. */
export interface FixedClient extends ClientInput {
  readonly id: string
  /** The secret for `client_secret_basic` and `client_secret_post`: a random text. The server keeps only its digest. */
  readonly secret?: string
}

/** @throws TypeError with the client and the broken rule. */
export function readFixedClients(
  given: readonly FixedClient[],
  { isHttps }: { readonly isHttps: boolean },
): readonly RegisteredClient[] {
  if (!Array.isArray(given)) throw new TypeError('"fixedClients" must be a list of clients')
  const clients = given.map(readFixedClient)
  if (isHttps && clients.some(({ backchannelLogoutUri: uri }) => uri?.startsWith('http:'))) {
    throw new TypeError('"fixedClients": an address of back-channel logout must be https: where the issuer is')
  }
  if (new Set(clients.map(({ id }) => id)).size < clients.length)
    throw new TypeError('"fixedClients": an id stands twice')
  return clients
}

function readFixedClient({ id, secret, ...input }: FixedClient): RegisteredClient {
  if (!Array.isArray(input.authentication)) throw new TypeError('"fixedClients": "authentication" must be a list')
  const client = clientFrom(id, input, secret === undefined ? [] : [hashClientSecret(secret)], 0)
  const fault = findClientFault(client)
  if (fault) throw new TypeError(`"fixedClients": ${fault}`)
  return client
}
