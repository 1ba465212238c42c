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
  /** The family that it ends with; `null`: the client is given it for itself. */
  readonly family: RefreshFamily | null
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The resource that it is for. */
  readonly audience: string
  /** The thumbprint of the key that it is bound to; `null`: to none. */
  readonly keyBinding: string | null
  /** When it expires at the latest, epoch milliseconds. */
  readonly endsAt: number
}

/** Returns an access token (RFC 9068), and in how many seconds it expires. */
export async function issueAccessToken(
  { accessTokenSigners, accessTokenSeconds, now }: ServerContext,
  { family, clientId, scopes, audience, keyBinding, endsAt }: AccessTokenInput,
): Promise<{ readonly token: string; readonly expiresIn: number }> {
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
  /** `null`: a client was given it for itself. */
  readonly family: RefreshFamily | null
  /** Whether it is of a client of the service itself, and bound to a key. */
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
 * Whether a token that was verified before goes on: it is not denied, nor expired unless `mayBeExpired`, and all goes on that it
 * was given for.
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
 * Returns what a verified token was given for, or `null` where that has ended: the client is disabled, its family was
 * removed, the consent withdrawn, or the account has another epoch.
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
  // What a client was given without a key, before it became one of the service, stays as it was.
  const firstParty = client.firstParty && token.keyBinding !== null
  return isOfToken && (await isAlive(context, family, read.account())) ? { token, family, firstParty } : null
}

/** A token has only the scopes that its client may request now: a narrowed registration narrows earlier tokens. */
function narrowToken(token: AccessToken, { scopes: allowed }: RegisteredClient): AccessToken {
  const scopes = token.scopes.filter((scope) => allowed.includes(scope))
  return scopes.length === token.scopes.length ? token : { ...token, scopes }
}

/**
 * Whether the account and the consent that a family was given by still stand behind it.
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
 * Whether tokens may go out of a family that was just stored: all stands behind it still, and the session that it ends with
 * has not ended since its code was given. Asked once it is stored: what ends the session later finds it.
 */
export async function mayGoOut(context: ServerContext, family: RefreshFamily): Promise<boolean> {
  const { session } = family
  if (session !== null && (await context.endedSessions.has(session))) return false
  return isAlive(context, family)
}
