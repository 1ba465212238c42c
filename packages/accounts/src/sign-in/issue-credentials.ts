import type { JwtClaims } from '@latchkey/jwt'
import type { Device, RefreshFamily, Session } from '@latchkey/sessions'
import { firstPartyClientId } from '@latchkey/sessions/internal'
import type { SignInRefusal } from '../accounts-event.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { AccountFacts } from '../contract/account-facts.ts'
import type { IssuedCredentials } from '../contract/sign-in-result.ts'
import { channels, type Delivery } from '../delivery.ts'
import type { ProviderSignIn } from '../providers/provider-sessions.ts'
import { type StoredAccount, toAccount } from '../store/account-store.ts'
import { toFacts } from './identity-facts.ts'
import { findValid } from './kept-key.ts'
import type { SignedIn } from './sign-in-states.ts'

/** A session, for a cookie. */
export type SessionCredentials = Extract<IssuedCredentials, { readonly delivery: 'session' }>

/** An access token and a refresh token. With `token` the refresh token belongs in a cookie, with `native` in the body. */
export type TokenCredentials = Exclude<IssuedCredentials, { readonly delivery: 'session' }>

export interface DeliveryRequest {
  readonly delivery: Delivery
  readonly device?: Device
  readonly persistent?: boolean
  readonly replaces?: Session | null
}

export interface IssuedSignIn<Credentials extends IssuedCredentials = IssuedCredentials> {
  readonly credentials: Credentials
  readonly identity: AccountFacts
}

/**
 * Signed in → credentials. The session or family is stored first, then the account is read again. A change of password,
 * roles or status in between either finds the new session and revokes it, or is found here.
 */
export async function issueCredentials(
  context: AccountsContext,
  signedIn: SignedIn,
  request: DeliveryRequest,
): Promise<IssuedSignIn | Extract<SignInRefusal, 'account-changed' | 'session-revoked'>> {
  const { delivery } = request
  const { provider, account } = signedIn
  const enrollmentSince = (await context.requiredFactor?.ask(account)) ?? null
  if (provider && !(await context.providerSessions.remember(provider, account.id))) return 'session-revoked'
  const established =
    delivery === 'session'
      ? await openSession(context, signedIn, { ...request, enrollmentSince })
      : await openFamily(context, signedIn, { ...request, delivery, enrollmentSince })
  if (!provider || typeof established === 'string') return established
  return (await endIfEnded(context, provider, established)) ? 'session-revoked' : established
}

/**
 * A logout at the provider either finds the new session, or is found here. If the logouts cannot be read, the session
 * is removed.
 */
async function endIfEnded(
  { providerSessions, sessions }: AccountsContext,
  signIn: ProviderSignIn,
  { identity: { subject, key } }: IssuedSignIn,
): Promise<boolean> {
  let isOpen = false
  try {
    isOpen = !(await providerSessions.hasEnded(signIn))
  } finally {
    if (!isOpen) await sessions.revoke(subject, key)
  }
  return !isOpen
}

/**
 * The session keeps the start of the account's grace for a second factor, so that requests do not have to look it up.
 */
interface AskedRequest extends DeliveryRequest {
  readonly enrollmentSince: number | null
}

async function openSession(
  context: AccountsContext,
  { account: { id, epoch }, factors, provider }: SignedIn,
  { device, persistent, replaces = null, enrollmentSince }: AskedRequest,
): Promise<IssuedSignIn | 'account-changed' | 'session-revoked'> {
  const issued = await context.sessions.create({
    subject: id,
    epoch,
    factors,
    replaces,
    enrollmentSince,
    ...(provider && { provider }),
    ...(device && { device }),
    ...(persistent !== undefined && { persistent }),
  })
  if (!issued) return 'session-revoked'
  const account = await confirmAccount(context, issued.session)
  if (!account) return 'account-changed'
  return {
    credentials: { delivery: 'session', ...issued },
    identity: toFacts(context, account, issued.session, 'cookie'),
  }
}

async function openFamily(
  context: AccountsContext,
  { account: { id, epoch }, factors, provider }: SignedIn,
  { delivery, device, replaces = null, enrollmentSince }: AskedRequest & { readonly delivery: 'token' | 'native' },
): Promise<IssuedSignIn | 'account-changed' | 'session-revoked'> {
  const channel = channels[delivery]
  const { token, family } = await context.refreshTokens.issue({
    subject: id,
    epoch,
    clientId: firstPartyClientId,
    channel,
    factors,
    enrollmentSince,
    ...(provider && { provider }),
    ...(device && { device }),
  })
  const account = await confirmAccount(context, family)
  if (!account) return 'account-changed'
  const signed = await signOrEnd(context, family, () => signTokens(context, account, { delivery, token, family }))
  return replaces && !(await replaceSession(context, replaces, family)) ? 'session-revoked' : signed
}

/** Signs a token of a family whose refresh token was not delivered yet. If signing fails, the family is removed. */
export async function signOrEnd<Signed>(
  { sessions }: AccountsContext,
  { subject, key }: RefreshFamily,
  sign: () => Promise<Signed>,
): Promise<Signed> {
  try {
    return await sign()
  } catch (error) {
    await sessions.revoke(subject, key)
    throw error
  }
}

/**
 * Revokes the session that a family replaces, in the order in which a session replaces another session: the new family
 * is stored, then the old session is removed. If the old session was revoked in between, or the store fails, the new
 * family is removed again.
 */
async function replaceSession(
  { sessions, now }: AccountsContext,
  old: Session,
  family: RefreshFamily,
): Promise<boolean> {
  let isGone = false
  try {
    isGone = (await sessions.revoke(old.subject, old.key)) || old.expiresAt <= now()
  } finally {
    if (!isGone) await sessions.revoke(family.subject, family.key)
  }
  return isGone
}

/**
 * Reads the account again. If it has changed, or cannot be read, the session or family that was opened for it is
 * removed.
 */
export async function confirmAccount(
  context: AccountsContext,
  opened: Session | RefreshFamily,
): Promise<StoredAccount | null> {
  let account: StoredAccount | null = null
  try {
    account = await findValid(context, opened)
  } finally {
    if (!account) await context.sessions.revoke(opened.subject, opened.key)
  }
  return account
}

export interface RefreshDelivery {
  readonly delivery: 'token' | 'native'
  readonly token: string
  readonly family: RefreshFamily
}

/**
 * Returns the claims of an access token, with the roles that the account holds now, bound to the family. A verifier elsewhere
 * knows no policy, so a token of an account that must enrol names no role, and its function for `ext` sees none.
 */
export function claimsOf(
  { tokenClaims }: AccountsContext,
  account: StoredAccount,
  { roles, key: sid }: AccountFacts,
): JwtClaims {
  const { id: sub, epoch } = account
  return { ...tokenClaims({ ...toAccount(account), roles: [...roles] }), sub, role: roles.join(' '), sid, epoch }
}

/** Signs the access token of a refresh token. */
export async function signTokens(
  context: AccountsContext,
  account: StoredAccount,
  { delivery, token, family }: RefreshDelivery,
): Promise<IssuedSignIn<TokenCredentials>> {
  const identity = toFacts(context, account, family, 'bearer')
  const signed = await context.accessTokens.sign(claimsOf(context, account, identity))
  const credentials: TokenCredentials = {
    delivery,
    accessToken: signed.token,
    accessTokenExpiresAt: signed.expiresAt,
    refreshToken: token,
    family,
  }
  return { credentials, identity }
}
