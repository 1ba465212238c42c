import type { IssuedFamily } from '@latchkey/sessions'
import { verifyPkce } from '../../pkce.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import { refuseUnsigned } from '../context/requested-access.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { CodeValue, CodeVerdict, UnusedCode } from '../grants/authorization-codes.ts'
import { mayGoOut } from '../issuing/access-tokens.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import type { Grant, TokenRequest } from './grant.ts'
import { isRefreshable, newFamily } from './new-family.ts'
import { findSessionEnd, replaceEarlier } from './online-session.ts'
import { readAudience } from './resource.ts'
import { scopesNow } from './scope.ts'

const invalid = refuse('invalid_grant', 'The code is invalid, expired, already used or was issued to another client.')

/** Exchanges a code for tokens (RFC 6749 §4.1.3). A code works once; a second use revokes its tokens. */
export const authorizationCode: Grant = async (context, asked) => {
  const code = asked.form.get('code')
  if (code === null) return refuse('invalid_request', '"code" is required.')
  const found = await context.codes.read(code)
  if (!found) return refuseUsed(context, asked, await context.codes.use(code, 'nothing'))
  const value = { ...found.value, scopes: scopesFor(context, asked, found.value) }
  const refusal = codeRefusal(value, asked)
  if (refusal) return refusal
  const audience = readAudience(context, asked.form, value.resources)
  if (!audience.ok) return audience
  const unsigned = await refuseUnsigned(context, asked.client, value.scopes)
  if (unsigned) return unsigned
  const { nonce, scopes, sessionKey: session } = value
  const endsAt = await findSessionEnd(context, { scopes, subject: found.accountId, session }, { isUse: true })
  if (endsAt === null) return invalid
  const issued = await issueForCode(context, asked, { ...found, code, value })
  if ('ok' in issued) return issued
  const { family } = issued
  await replaceEarlier(context, family)
  const refreshToken = isRefreshable(scopes) ? issued.token : null
  return { ok: true, family, refreshToken, scopes, audience: audience.audience, endsAt, idToken: { nonce } }
}

/** Omits the scopes of refresh tokens if the client lacks the grant `refresh_token`, and `online_access` without a key binding. */
function scopesFor(
  context: ServerContext,
  { client, keyBinding }: TokenRequest,
  { scopes }: CodeValue,
): readonly string[] {
  const refreshes = client.grantTypes.includes('refresh_token')
  const allowed = scopesNow(context, client, scopes).filter((scope) => refreshes || !isRefreshable([scope]))
  return keyBinding === null ? allowed.filter((scope) => scope !== 'online_access') : allowed
}

/** Returns the reason for which a request may not use a code, or `null`. The code stays unused. */
function codeRefusal(value: CodeValue, { client, form, keyBinding }: TokenRequest): Refusal | null {
  if (value.clientId !== client.id) return invalid
  if (form.get('redirect_uri') !== value.redirectUri) {
    return refuse('invalid_grant', '"redirect_uri" does not match the authorization request.')
  }
  if (!verifyPkce(form.get('code_verifier'), value.challenge)) {
    return refuse('invalid_grant', '"code_verifier" does not match the code challenge.')
  }
  if (value.keyBinding === null || value.keyBinding === keyBinding) return null
  return refuse('invalid_dpop_proof', 'The code is bound to a key. Send a DPoP proof of that key.')
}

interface FoundCode extends UnusedCode {
  readonly code: string
}

/**
 * Uses the code, stores its family, and checks the code and the family again: a second use of the code, or a withdrawn consent,
 * may have revoked the family in between.
 */
async function issueForCode(
  context: ServerContext,
  asked: TokenRequest,
  { code, accountId, value, use }: FoundCode,
): Promise<IssuedFamily | Refusal> {
  const allowed = newFamily(context, asked.client.id, asked.keyBinding, { ...value, accountId })
  const input = { ...allowed, givenIn: value.sessionKey }
  let verdict: CodeVerdict = { ok: false, reason: 'unknown' }
  const issued = await context.refreshTokens.issueOnce(input, async (key) => {
    verdict = await use(key)
    return verdict.ok
  })
  if (!issued) return refuseUsed(context, asked, verdict)
  const { family } = issued
  const isTold = await rememberClient(context, asked.client, { accountId, value })
  const isConfirmed = (await context.codes.confirm(code)) && (await mayGoOut(context, family))
  // After the session is revoked, the client must not start a session of its own with an id token.
  const hasEnded = isTold && (await context.endedSessions.has(value.sessionKey))
  if (isConfirmed && !hasEnded) return issued
  await context.refreshTokens.revoke(family.key)
  return invalid
}

/** Stores that the client must be notified of the end of the session. Returns `false` if it needs no notification. */
async function rememberClient(
  { sessionClients }: ServerContext,
  { id: clientId, backchannelLogoutUri }: RegisteredClient,
  { accountId, value }: Pick<FoundCode, 'accountId' | 'value'>,
): Promise<boolean> {
  const isTold = backchannelLogoutUri !== null && value.scopes.includes('openid')
  if (isTold) await sessionClients.add(accountId, { sessionKey: value.sessionKey, clientId })
  return isTold
}

/**
 * A second use of a code by any client revokes its tokens, because the code was copied (RFC 6749 §4.1.2).
 */
async function refuseUsed(context: ServerContext, { client }: TokenRequest, verdict: CodeVerdict): Promise<Refusal> {
  if (verdict.ok || verdict.reason !== 'used') return invalid
  await context.refreshTokens.revoke(verdict.gave)
  context.emit({ type: 'code.replayed', clientId: client.id, accountId: verdict.accountId })
  return invalid
}
