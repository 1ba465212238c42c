import type { JwtAlgorithm, KeyRing, KeySet } from '@latchkey/jwt'
import type { RegisteredClient } from '../clients/registered-client.ts'

/** The key rings of id tokens and logout tokens, of one algorithm each. */
export interface IdTokenKeys extends KeySet {
  readonly rings: readonly [KeyRing, ...KeyRing[]]
  /** Returns the algorithms that clients can choose, the default first. */
  algorithms(): Promise<readonly JwtAlgorithm[]>
  /**
   * Returns the ring that signs for a client.
   *
   * @throws TypeError when no ring has the algorithm of the client.
   */
  ringOf(client: Pick<RegisteredClient, 'idTokenSignedResponseAlg'>): Promise<KeyRing>
}

export function createIdTokenKeys(rings: readonly [KeyRing, ...KeyRing[]]): IdTokenKeys {
  return {
    rings,
    async find(query) {
      for (const ring of rings) {
        const key = await ring.find(query)
        if (key) return key
      }
      return null
    },
    algorithms: async () => [...new Set(await Promise.all(rings.map(algorithmOf)))],
    async ringOf({ idTokenSignedResponseAlg: algorithm }) {
      const [byDefault] = rings
      if (algorithm === null) return byDefault
      for (const ring of rings) if ((await algorithmOf(ring)) === algorithm) return ring
      throw new TypeError(`"idTokenKeys" has no ring of the algorithm ${algorithm}`)
    },
  }
}

async function algorithmOf(ring: KeyRing): Promise<JwtAlgorithm> {
  return (await ring.signingKey()).algorithm
}
