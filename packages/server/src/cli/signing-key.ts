import type { JwtAlgorithm, KeyStore } from '@latchkey/jwt'

/** The description of a key that signs access tokens, without the key itself. */
export interface SigningKey {
  /** The `kid` of its tokens. */
  readonly id: string
  readonly algorithm: JwtAlgorithm
  /** `next` signs after the next rotation; what a `retired` one signed is valid until it expires. */
  readonly state: 'signing' | 'next' | 'retired'
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; `null` while it signs or waits to sign. */
  readonly retiredAt: number | null
}

/** Returns the keys of access tokens, the oldest first: of those that are not retired the oldest signs, as in the ring. */
export async function listSigningKeys(store: KeyStore): Promise<readonly SigningKey[]> {
  const ours = (await store.list())
    .filter(({ purpose }) => purpose === 'access-token')
    .sort((left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1))
  const signing = ours.find(({ algorithm, retiredAt }) => algorithm === 'HS256' && retiredAt === null)
  return ours.map(({ id, algorithm, createdAt, retiredAt }) => {
    const waiting = id === signing?.id ? 'signing' : 'next'
    return { id, algorithm, state: retiredAt === null ? waiting : 'retired', createdAt, retiredAt }
  })
}
