import { type FamilyChange, renewFamily, revokeBySession, revokeFamily } from './change-family.ts'
import { type ReadFamilyOptions, readFamily } from './find-family.ts'
import { type IdentifyOptions, identifyFamily } from './identify-family.ts'
import { type IssuedFamily, issueOnceAccepted, issueRefreshToken, type RefreshInput } from './issue-refresh-token.ts'
import { type RefreshPresenter, type RefreshVerdict, redeemRefreshToken } from './redeem-refresh-token.ts'
import { createRefreshContext, type RefreshTokensOptions } from './refresh-context.ts'
import type { RefreshFamily } from './refresh-family.ts'
import { regenerateFamily } from './regenerate-family.ts'

/** Refresh tokens that work once each. */
export interface RefreshTokens {
  /** Creates a family and returns its first token, which cannot be read again. */
  issue(input: RefreshInput): Promise<IssuedFamily>
  /**
   * As `issue`, for what may give a family only once, such as an authorization code: `accept` gets the key before anything
   * is stored, and writes it where a second use will find it. `null`: it returned `false`, and nothing is stored.
   */
  issueOnce(input: RefreshInput, accept: (key: string) => Promise<boolean>): Promise<IssuedFamily | null>
  /**
   * Exchanges a token for its successor. Under any concurrency there is exactly one successor. A repetition within
   * `graceSeconds` of the exchange, by the store's clock and until the successor is used, returns the same one and writes
   * nothing; a later one ends the family. A family that is bound to a key repeats without a time limit.
   *
   * A presenter who is not the family's client, or does not hold its key, is refused and changes nothing.
   *
   * So a device whose answer was lost has that long to ask again: an outage, or a way without a network, that is longer
   * signs it out.
   *
   * The account may have changed: compare `family.epoch` with the account's before issuing anything.
   *
   * @param presenter the client and the channel that present the token, and the key that they hold.
   * @throws StoreError `STORE_UNAVAILABLE` when the record kept changing in between: the token stays valid.
   */
  redeem(token: string | null, presenter: RefreshPresenter): Promise<RefreshVerdict>
  /**
   * Returns a living family by its key, the `sid` of an access token, or `null`. A key proves nothing about its bearer.
   */
  read(key: string, options?: ReadFamilyOptions): Promise<RefreshFamily | null>
  /**
   * Returns the family of its newest token or of the previous one, without using the token up: to end the family at
   * sign-out, or with `redeemable` to say whether the token is of use. Where access is granted, use `redeem`.
   */
  identify(token: string | null, options?: IdentifyOptions): Promise<RefreshFamily | null>
  /**
   * Moves a family to a new epoch of its account, when its own holder raised it, adds what was proven since, and
   * takes proofs from it that count no longer. Its tokens stay valid. `false`: it has ended, has a later epoch, or is that of
   * who acts as another account.
   */
  renew(family: RefreshFamily, change: FamilyChange): Promise<boolean>
  /**
   * Replaces a family by one under a new key, with what was proven since, for step-up and change of privilege: its tokens
   * are dead at once. Client, grant, key, channel, device and end stay. `null`: it was revoked in between, and so is the
   * new one.
   */
  regenerate(family: RefreshFamily, change: FamilyChange): Promise<IssuedFamily | null>
  /** Ends a family; `true` for exactly one caller. */
  revoke(key: string): Promise<boolean>
  /** Ends the families of an account that end with this session, and returns how many this call has ended. */
  revokeBySession(subject: string, session: string): Promise<number>
}

/**
 * Creates refresh tokens over a record store: rotated at each use, with reuse detection (RFC 9700 §4.14.2) and a grace
 * window in which a lost response can be repeated. The store holds digests only.
 *
 * @throws TypeError when an option is unknown or not valid; an eventually consistent store would allow two successors.
 *
 * @example
 * import { randomBytes } from '@latchkey/bytes'
 * import { createRefreshTokens } from '@latchkey/sessions'
 * import { createMemoryRecordStore } from '@latchkey/store'
 * const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
 * const refreshTokens = createRefreshTokens({ records: createMemoryRecordStore(), secrets })
 * const { token } = await refreshTokens.issue({ subject: 'acc_1', clientId: 'web', factors: [] })
 * const verdict = await refreshTokens.redeem(token, { clientId: 'web' }) // { ok: true, token, family }
 */
export function createRefreshTokens(options: RefreshTokensOptions): RefreshTokens {
  const context = createRefreshContext(options)
  return {
    issue: (input) => issueRefreshToken(context, input),
    issueOnce: (input, accept) => issueOnceAccepted(context, input, accept),
    redeem: (token, presenter) => redeemRefreshToken(context, token, presenter),
    read: (key, readOptions = {}) => readFamily(context, key, readOptions),
    identify: (token, identifyOptions = {}) => identifyFamily(context, token, identifyOptions),
    renew: (family, change) => renewFamily(context, family, change),
    regenerate: (family, change) => regenerateFamily(context, family, change),
    revoke: (key) => revokeFamily(context, key),
    revokeBySession: (subject, session) => revokeBySession(context, subject, session),
  }
}
