import type { AccountFacts, Accounts, Message } from '@latchkey/accounts'
import type { SecretKeys } from '@latchkey/bytes'
import type { KeyRing, VerifiedClaims } from '@latchkey/jwt'
import type { Sessions } from '@latchkey/sessions'
import type { Credential } from '../deeds/deed.ts'
import type { Machine } from '../world/machine.ts'
import type { WorldStores } from '../world/stores.ts'
import type { World } from '../world/world.ts'
import type { Board } from './board.ts'
import type { Line } from './line.ts'
import type { Terms } from './terms.ts'

/** A process of the service: its use cases on the shared stores. */
export interface Service {
  readonly machine: Machine
  readonly accounts: Accounts
  /** Reads access tokens. */
  readonly tokens: {
    verify(token: string): Promise<{ readonly ok: true; readonly claims: VerifiedClaims } | { readonly ok: false }>
  }
  /** Presents a credential in a request over HTTP; omitted if this process answers none. */
  readonly look?: (shown: Presented) => Promise<{ readonly roles: readonly string[] } | null>
  /** Opens a stream of what is published; null: the credential is refused. Omitted if this process has no streams. */
  readonly listen?: (shown: Presented) => Promise<Line | null>
  readonly apps: Apps
  /** Removes records that have expired. */
  readonly sweep: () => Promise<unknown>
}

export interface ServiceParts {
  readonly world: World
  readonly stores: WorldStores
  readonly machine: Machine
  readonly secrets: SecretKeys
  readonly keys: KeyRing
  /** The keys of tokens for applications. */
  readonly appKeys: KeyRing
  readonly terms: Terms
  readonly board: Board
  /** Whether people sign in with a provider, a code by mail, or a passkey, too. */
  readonly hasOtherWays: boolean
  readonly mailed: (message: Message) => void
  readonly happened: (event: object) => void
}

/** Access of an application to an account, by codes and tokens. */
export interface Apps {
  /** Returns a code for the application out of the session; null: nobody is signed in. Brief access ends with the session. */
  authorize(session: string, options: { readonly isBrief: boolean }): Promise<string | null>
  /** Returns the tokens for a code; null: it is refused. */
  redeem(code: string): Promise<AppTokens | null>
  /** Returns new tokens for a refresh token; null: it is refused. */
  refresh(token: string): Promise<AppTokens | null>
  identify(accessToken: string): Promise<AccountFacts | null>
  /** Withdraws every consent of the account; `false`: it has none. */
  withdraw(accountId: string): Promise<boolean>
  /** Revokes a refresh token, with all tokens beside it. */
  revoke(token: string): Promise<void>
  /** Returns sessions that revoke the brief access that was given in them. */
  readonly bindSessions: (sessions: Sessions) => Sessions
}

export interface AppTokens {
  readonly accessToken: string
  /** Null: the access ends with the session. */
  readonly refreshToken: string | null
}

/** A session, or a family with its access token. */
export interface Presented {
  readonly credential: Credential
  readonly accessToken: string | null
}
