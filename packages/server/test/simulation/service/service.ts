import type { Accounts, Message } from '@latchkey/accounts'
import type { SecretKeys } from '@latchkey/bytes'
import type { createKeyRing, VerifiedClaims } from '@latchkey/jwt'
import type { Held } from '../people/person.ts'
import type { Machine } from '../world/machine.ts'
import type { WorldStores } from '../world/stores.ts'
import type { World } from '../world/world.ts'
import type { Terms } from './terms.ts'

/** A process of the service: its use cases on the shared stores. */
export interface Service {
  readonly machine: Machine
  readonly accounts: Accounts
  /** Reads access tokens. */
  readonly tokens: {
    verify(token: string): Promise<{ readonly ok: true; readonly claims: VerifiedClaims } | { readonly ok: false }>
  }
  /** Presents a credential in a request; omitted if this process answers none. */
  readonly look?: (held: Held) => Promise<{ readonly roles: readonly string[] } | null>
  /** Removes records that have expired. */
  readonly sweep: () => Promise<unknown>
}

export interface ServiceParts {
  readonly world: World
  readonly stores: WorldStores
  readonly machine: Machine
  readonly secrets: SecretKeys
  readonly keys: ReturnType<typeof createKeyRing>
  readonly terms: Terms
  readonly mailed: (message: Message) => void
  readonly happened: (event: object) => void
}
