import { isJsonObject } from '../connection/json-object.ts'
import { type ClientContext, toleranceSeconds } from '../context/client-context.ts'
import type { LogoutVerdict, OAuthClient } from '../contract/oauth-client.ts'
import { isSubject, issuerOf } from './id-token.ts'
import { readSignedToken, type SignedToken } from './signed-token.ts'

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/** The specification recommends two minutes. */
const lifetimeSeconds = 3600

/** Revokes the sessions that a logout token names. May be called again for the same token and then revokes the rest. */
type OnBackchannelLogout = NonNullable<Parameters<OAuthClient['verifyLogoutToken']>[1]>
type LogoutRefusal = Extract<LogoutVerdict, { readonly ok: false }>['reason']

/** Verifies a logout token. Its `jti` is used up last, after all other checks and after `end`. */
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

/** Whether at least one name is given and all given names are valid. */
function areNames(...names: readonly unknown[]): boolean {
  const given = names.filter((name) => name !== undefined)
  return given.length > 0 && given.every(isSubject)
}
