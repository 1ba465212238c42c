import { isJsonObject } from '../connection/json-object.ts'
import { type ClientContext, toleranceSeconds } from '../context/client-context.ts'
import { isSubject, issuerOf } from './id-token.ts'
import { readSignedToken, type SignedToken } from './signed-token.ts'

/** Why a logout token is refused (OpenID Connect Back-Channel Logout §2.6). */
export type LogoutRefusal =
  /** No compact token, one with `crit` or `b64`, or a token that is far too long. */
  | 'malformed'
  /** Another `typ`. */
  | 'type'
  /** `none`, a symmetric algorithm, or another algorithm that is not accepted. */
  | 'algorithm'
  /** The provider publishes no such key, or several of them and the token does not say which. */
  | 'key'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not-yet-valid'
  /** `iat`, `exp`, `jti` or both of `sub` and `sid` are missing, or have another type. */
  | 'claims'
  /** It does not say that a session has ended. */
  | 'event'
  /** It has a `nonce`: it is an id token. */
  | 'nonce'
  /** Its `jti` was shown before. */
  | 'used'

/** The verdict on a logout token. */
export type LogoutVerdict =
  /** End the sessions of `sid`, or all of `subject` where it is `null`. One of both is always there. */
  | {
      readonly ok: true
      readonly provider: string
      readonly issuer: string
      readonly subject: string | null
      readonly sid: string | null
    }
  | { readonly ok: false; readonly reason: LogoutRefusal }

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/** Two minutes are what the specification recommends. */
const lifetimeSeconds = 3600

/** Ends what a logout token names. It may be called again for the same token, and then ends what is left. */
export type OnBackchannelLogout = (logout: Extract<LogoutVerdict, { readonly ok: true }>) => Promise<unknown>

/** Verifies a logout token. Its `jti` is used up at the end, when nothing else is wrong with it and what it names has ended. */
export async function verifyLogoutToken(
  context: ClientContext,
  token: string | null,
  end: OnBackchannelLogout | null,
): Promise<LogoutVerdict> {
  const verdict = await judge(context, token ?? '', end)
  const { provider, emit } = context
  if (verdict.ok) emit({ type: 'logout.accepted', provider: provider.name })
  else emit({ type: 'logout.refused', provider: provider.name, reason: verdict.reason })
  return verdict
}

async function judge(context: ClientContext, token: string, end: OnBackchannelLogout | null): Promise<LogoutVerdict> {
  const { provider, logouts } = context
  const signed = await context.askProvider(() => readSignedToken(context, token, 'logout+jwt'))
  if (typeof signed === 'string') return { ok: false, reason: signed }
  const { claims } = signed
  const reason = claimsRefusal(context, signed)
  if (reason) return { ok: false, reason }
  const [issuer, until] = [String(claims.iss), (Number(claims.exp) + toleranceSeconds + 1) * 1000]
  const id = [issuer, String(claims.jti)]
  const subject = isSubject(claims.sub) ? claims.sub : null
  const sid = isSubject(claims.sid) ? claims.sid : null
  const verdict = { ok: true, provider: provider.name, issuer, subject, sid } as const
  if (end !== null) {
    if (await logouts.has(id)) return { ok: false, reason: 'used' }
    await end(verdict)
  }
  return (await logouts.accept(id, until)) ? verdict : { ok: false, reason: 'used' }
}

function claimsRefusal({ provider, clientId, now }: ClientContext, signed: SignedToken): LogoutRefusal | null {
  const { iss, aud, iat, exp, jti, sub, sid, events, nonce } = signed.claims
  const issuer = provider.protocol === 'openid' ? issuerOf(provider, signed) : null
  if (issuer === null || iss !== issuer) return 'issuer'
  if (!(Array.isArray(aud) ? aud : [aud]).includes(clientId)) return 'audience'
  if (![iat, exp].every(Number.isSafeInteger) || !isSubject(jti) || !areNames(sub, sid)) return 'claims'
  const seconds = now() / 1000
  if (Number(exp) <= seconds - toleranceSeconds) return 'expired'
  if (Number(iat) > seconds + toleranceSeconds || Number(exp) > seconds + lifetimeSeconds) return 'not-yet-valid'
  if (!isJsonObject(events) || !isJsonObject(events[logoutEvent])) return 'event'
  return nonce === undefined ? null : 'nonce'
}

/** One of both is there, and none of them is anything else. */
function areNames(...names: readonly unknown[]): boolean {
  const given = names.filter((name) => name !== undefined)
  return given.length > 0 && given.every(isSubject)
}
