import { renewFamily, revokeBySession, revokeFamily } from './change-family.ts'
import { readFamily } from './find-family.ts'
import { identifyFamily } from './identify-family.ts'
import { issueOnceAccepted, issueRefreshToken } from './issue-refresh-token.ts'
import { redeemRefreshToken } from './redeem-refresh-token.ts'
import { createRefreshContext, type RefreshTokensOptions } from './refresh-context.ts'
import type { RefreshTokens } from './refresh-tokens.ts'
import { regenerateFamily } from './regenerate-family.ts'

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
    regenerate: (family, change, options = {}) => regenerateFamily(context, family, change, options),
    revoke: (key) => revokeFamily(context, key),
    revokeBySession: (subject, session, revokeOptions) => revokeBySession(context, { subject, session }, revokeOptions),
  }
}
