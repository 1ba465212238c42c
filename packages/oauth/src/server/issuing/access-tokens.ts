import type { VerifiedClaims } from '@latchkey/jwt'
import type { RefreshFamily } from '@latchkey/sessions'
import { type AccessToken, toAccessToken } from '../../resource/access-token.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import { authenticationOf } from '../context/authentication.ts'
import type { AuthorizationServer } from '../context/authorization-server.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { AccountState } from '../context/server-options.ts'
import { createFamilyRead } from './family-read.ts'

/** The data of an access token. */
export interface AccessTokenInput {
  /** The family of the token; `null`: the grant is `client_credentials`. */
  readonly family: RefreshFamily | null
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly audience: string
  /** The thumbprint of the key that the token is bound to; `null`: the token is not bound. */
  readonly keyBinding: string | null
  /** The latest expiry, in epoch milliseconds. */
  readonly endsAt: number
}

/** Returns an access token (RFC 9068) with its lifetime in seconds; `null`: its latest expiry is in this second, or past. */
export async function issueAccessToken(
  { accessTokenSigners, accessTokenSeconds, now }: ServerContext,
  { family, clientId, scopes, audience, keyBinding, endsAt }: AccessTokenInput,
): Promise<{ readonly token: string; readonly expiresIn: number } | null> {
  if (Math.floor(endsAt / 1000) <= Math.floor(now() / 1000)) return null
  const claims = {
    sub: family?.subject ?? clientId,
    client_id: clientId,
    scope: scopes.join(' '),
    ...(family && {
      sid: family.key,
      epoch: family.epoch,
      ...authenticationOf(family.factors, family.authenticatedAt),
    }),
    ...(keyBinding !== null && { cnf: { jkt: keyBinding } }),
  }
  const { token, expiresAt } = await accessTokenSigners(audience).sign(claims, { endsAt })
  return { token, expiresIn: Math.min(accessTokenSeconds, Math.ceil((expiresAt - now()) / 1000)) }
}

/** An access token with its client, family and consent, all still valid. */
export interface ActiveToken {
  readonly token: AccessToken
  /** The family of the token; `null`: the grant was `client_credentials`. */
  readonly family: RefreshFamily | null
  /** Whether the client belongs to the service, and the token is bound to a key. */
  readonly firstParty: boolean
}

/**
 * Returns an access token of this server for any of its resources; `null`: the token, or its client, family or consent,
 * is no longer valid.
 */
export async function readLivingToken(context: ServerContext, text: string): Promise<ActiveToken | null> {
  const verdict = await context.accessTokens.verify(text)
  const token = verdict.ok ? toAccessToken(verdict.claims) : null
  if (!token || !context.resources.includes(token.audience)) return null
  return findLife(context, token)
}

/**
 * Returns whether a verified token is still valid: it is not revoked, not expired unless `mayBeExpired`, and its client, family
 * and consent are valid.
 */
export async function livesOn(
  context: ServerContext,
  claims: VerifiedClaims,
  { mayBeExpired = false }: Parameters<AuthorizationServer['isAlive']>[1] = {},
): Promise<boolean> {
  const token = toAccessToken(claims)
  if (!token || (!mayBeExpired && token.expiresAt <= context.now())) return false
  if (await context.denyList.isDenied(claims)) return false
  return (await findLife(context, token)) !== null
}

/**
 * Returns a verified token with its family; `null`: the client is disabled, the family is removed, the consent is withdrawn, or
 * the account has another epoch.
 */
async function findLife(context: ServerContext, given: AccessToken): Promise<ActiveToken | null> {
  const { clientId, familyKey, subject } = given
  const client = await context.clients.find(clientId)
  if (!client) return null
  const token = narrowToken(given, client)
  if (familyKey === null) return { token, family: null, firstParty: false }
  const read = createFamilyRead(context)
  const family = await context.refreshTokens.read(familyKey, read.from)
  const isOfToken = family?.clientId === clientId && family.subject === subject
  // Tokens without a key are older than the client's registration as a client of the service, and stay third-party tokens.
  const firstParty = client.firstParty && token.keyBinding !== null
  return isOfToken && (await isAlive(context, family, read.account())) ? { token, family, firstParty } : null
}

/** A token has only the scopes that its client may request now: a narrowed registration narrows earlier tokens. */
function narrowToken(token: AccessToken, { scopes: allowed }: RegisteredClient): AccessToken {
  const scopes = token.scopes.filter((scope) => allowed.includes(scope))
  return scopes.length === token.scopes.length ? token : { ...token, scopes }
}

/**
 * Returns whether the account of a family has the same epoch, and its consent is not withdrawn.
 *
 * @param account the account, if it was read with the family.
 */
export async function isAlive(
  { accountState, grants }: ServerContext,
  { subject, epoch, grant: grantId, clientId }: RefreshFamily,
  account?: AccountState | null,
): Promise<boolean> {
  const asked = account === undefined ? accountState(subject) : account
  const [state, grant] = await Promise.all([asked, grants.find(subject, clientId)])
  return state?.epoch === epoch && grant?.id === grantId
}

/**
 * Returns whether tokens of a family may be sent: its account and consent are valid, and its session is not revoked. Call it
 * after the family is stored: a later revocation of the session then finds the family.
 */
export async function mayGoOut(context: ServerContext, family: RefreshFamily): Promise<boolean> {
  const { session } = family
  if (session !== null && (await context.endedSessions.has(session))) return false
  return isAlive(context, family)
}
