import type { JwtAlgorithm, KeyRing, KeySet } from '@latchkey/jwt'
import type { RegisteredClient } from '../clients/registered-client.ts'

/** The key rings of id tokens and logout tokens. Each ring has one algorithm. */
export interface IdTokenKeys extends KeySet {
  readonly rings: readonly [KeyRing, ...KeyRing[]]
  /** Returns the algorithms that clients can choose, the default first. */
  algorithms(): Promise<readonly JwtAlgorithm[]>
  /** Whether a ring has the algorithm of a client. A client can be registered with an algorithm that no ring has. */
  signsFor(client: Pick<RegisteredClient, 'idTokenSignedResponseAlg'>): Promise<boolean>
  /**
   * Returns the ring that signs for a client.
   *
   * @throws TypeError if no ring has the algorithm of the client.
   */
  ringOf(client: Pick<RegisteredClient, 'idTokenSignedResponseAlg'>): Promise<KeyRing>
}

export function createIdTokenKeys(rings: readonly [KeyRing, ...KeyRing[]]): IdTokenKeys {
  const findRing = async ({
    idTokenSignedResponseAlg: algorithm,
  }: Pick<RegisteredClient, 'idTokenSignedResponseAlg'>) => {
    if (algorithm === null) return rings[0]
    for (const ring of rings) if ((await algorithmOf(ring)) === algorithm) return ring
    return null
  }
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
    signsFor: async (client) => (await findRing(client)) !== null,
    async ringOf(client) {
      const ring = await findRing(client)
      if (ring) return ring
      throw new TypeError(`"idTokenKeys" has no ring of the algorithm ${client.idTokenSignedResponseAlg}`)
    },
  }
}

async function algorithmOf(ring: KeyRing): Promise<JwtAlgorithm> {
  return (await ring.signingKey()).algorithm
}
