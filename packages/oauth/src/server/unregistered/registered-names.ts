import type { RegisteredClient } from '../clients/registered-client.ts'
import type { StoredClients } from '../clients/stored-client.ts'

/** Returns whether the service or a registered client has a name that reads the same. */
export type IsRegisteredName = (name: string) => Promise<boolean>

export interface RegisteredNamesOptions {
  readonly clients: Pick<StoredClients, 'listAll'>
  readonly fixed: readonly RegisteredClient[]
  /** `null`: the service is not named. */
  readonly serviceName: string | null
  readonly now: () => number
}

/** The longest time until the name of a new client counts. */
const keptMs = 60_000

export function createRegisteredNames({ clients, fixed, serviceName, now }: RegisteredNamesOptions): IsRegisteredName {
  let kept: { readonly at: number; readonly names: Promise<ReadonlySet<string>> } | null = null

  async function list(): Promise<ReadonlySet<string>> {
    const stored = (await clients.listAll()).map(({ value }) => value)
    const own = serviceName === null ? [] : [serviceName]
    return new Set([...own, ...[...fixed, ...stored].map(({ name }) => name)].map(asRead))
  }

  return async (name) => {
    if (!kept || Math.abs(now() - kept.at) >= keptMs) {
      const names = list()
      kept = { at: now(), names }
      names.catch(() => {
        kept = null
      })
    }
    return (await kept.names).has(asRead(name))
  }
}

/**
 * Returns the same text for names that differ in case, spaces and compatible characters. Lower case comes first: "ẞ" has the
 * capital "SS" only as "ß". Capitals can be several characters, which are composed at the end.
 */
function asRead(name: string): string {
  const letters = name.normalize('NFKC').replaceAll(/\s/gu, '')
  return letters.toLowerCase().toUpperCase().normalize('NFKC')
}
