import { isPublicClient, type RegisteredClient } from './registered-client.ts'
import { type StoredClients, toRegisteredClient } from './stored-client.ts'

/** Returns the origins whose pages may read answers to requests without cookies. */
export type ClientOrigins = () => Promise<readonly string[]>

export interface ClientOriginsOptions {
  readonly clients: Pick<StoredClients, 'listAll'>
  readonly fixed: readonly RegisteredClient[]
  /** Further origins. */
  readonly origins: readonly string[]
  readonly now: () => number
}

/** The longest time until a change of clients applies. The list is cached, because strangers can cause reads of it. */
const keptMs = 60_000

/** Creates the list of the origins of public web clients, which are the origins of their redirects. */
export function createClientOrigins({ clients, fixed, origins, now }: ClientOriginsOptions): ClientOrigins {
  let kept: { readonly at: number; readonly listed: Promise<readonly string[]> } | null = null

  async function list(): Promise<readonly string[]> {
    const stored = (await clients.listAll()).map(toRegisteredClient)
    return [...new Set([...origins, ...[...fixed, ...stored].flatMap(originsOf)])]
  }

  return () => {
    if (kept && now() - kept.at < keptMs) return kept.listed
    const listed = list()
    kept = { at: now(), listed }
    listed.catch(() => {
      kept = null
    })
    return listed
  }
}

function originsOf(client: RegisteredClient): readonly string[] {
  if (client.kind !== 'web' || client.isDisabled || !isPublicClient(client)) return []
  return client.redirectUris.filter((uri) => /^https?:/.test(uri)).map((uri) => new URL(uri).origin)
}
