import type { VerifiedClaims } from '@latchkey/jwt'
import type { Impersonation, RefreshFamily, Session } from '@latchkey/sessions'
import { firstPartyClientId } from '@latchkey/sessions/internal'
import type { FactorProof } from '@latchkey/store'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { CredentialUse } from '../context/session-reader.ts'
import type { AccountFacts } from '../contract/account-facts.ts'
import type { Accounts } from '../contract/accounts.ts'
import type { IdentityAccount } from '../store/account-store.ts'
import { categorise } from './factor-category.ts'
import { judgeEnrollment, nothingAsked } from './judge-enrollment.ts'
import { isStillHeld } from './judge-impersonation.ts'
import { findValid, isValidFor, judge } from './kept-key.ts'

/** The facts for the identity that a policy reads. */
export type IdentityFacts = NonNullable<Awaited<ReturnType<Accounts['identifyToken']>>>

/** The part of a session or family that an identity depends on. */
interface Opened extends Partial<Pick<RefreshFamily, 'scopes' | 'grant' | 'keyBinding' | 'session'>> {
  readonly key: string
  readonly lineage: string
  readonly factors: readonly FactorProof[]
  /** Omitted for a cookie session: cookies are for the service's own pages only. */
  readonly clientId?: string
  readonly enrollmentSince?: number | null
  readonly impersonation?: Impersonation | null
}

export function toFacts(
  context: Pick<AccountsContext, 'requiredFactor' | 'now'>,
  account: IdentityAccount,
  opened: Opened,
  via: AccountFacts['via'],
): AccountFacts {
  const { key, session, clientId = firstPartyClientId, grant = null, keyBinding = null, impersonation = null } = opened
  const firstParty = clientId === firstPartyClientId
  // What the owner still has to set up, the administrator has shown already.
  const enrollment = impersonation === null ? judgeEnrollment(context, account, opened) : nothingAsked
  return {
    kind: 'account',
    subject: account.id,
    roles: enrollment.mustEnroll ? [] : [...account.roles],
    clientId,
    firstParty,
    // Without scopes a grant allows nothing: `null` would say that none limits it.
    scopes: firstParty ? null : [...(opened.scopes ?? [])],
    grant,
    keyBinding,
    factors: opened.factors.map(categorise),
    enrolledFactors: [...account.enrolled],
    ...enrollment,
    key,
    lineage: session ?? opened.lineage,
    via,
    epoch: account.epoch,
    impersonator: impersonation?.by ?? null,
  }
}

export async function identifySession(context: AccountsContext, session: Session | null): Promise<AccountFacts | null> {
  const account = session && (await findValid(context, session))
  if (!session || !account || !(await isStillHeld(context, account, session.impersonation))) return null
  return toFacts(context, account, session, 'cookie')
}

export async function identifyCredential(
  context: AccountsContext,
  credential: string | null,
  use: CredentialUse = {},
): ReturnType<Accounts['identifyCredential']> {
  const opened = await context.opened.session(credential, use)
  if (!opened) return null
  const { session } = opened
  const { account: read } = opened
  const account = read && (isValidFor(read, session) ? read : await judge(context, read, session))
  const { impersonation } = session
  if (!account || (impersonation !== null && !(await isStillHeld(context, account, impersonation)))) return null
  return { session, facts: toFacts(context, account, session, 'cookie') }
}

/**
 * A token of an account is valid while its family is valid. The family of an older epoch is valid only if every raise
 * since has kept it. A token with neither family nor epoch belongs to a machine.
 */
export function identifyToken(
  context: AccountsContext,
  claims: VerifiedClaims | null,
  { keyBinding = null }: Parameters<Accounts['identifyToken']>[1] = {},
): ReturnType<Accounts['identifyToken']> {
  if (claims === null) return refused
  const { sid, epoch } = claims
  if (sid === undefined && epoch === undefined) return identifyClient(context, claims, keyBinding)
  return sid === undefined || epoch === undefined
    ? refused
    : identifyFamily(context, { claims, sid, epoch, presentedKey: keyBinding })
}

const refused: Promise<null> = Promise.resolve(null)

interface TokenOfFamily {
  readonly claims: VerifiedClaims
  readonly sid: string
  readonly epoch: number
  readonly presentedKey: string | null
}

async function identifyFamily(
  context: AccountsContext,
  { claims, sid, epoch, presentedKey }: TokenOfFamily,
): Promise<AccountFacts | null> {
  const opened = await context.opened.family(claims, sid)
  if (opened?.family.subject !== claims.sub) return null
  const { family, account: read } = opened
  const { clientId, keyBinding } = family
  if (!isOf(claims.client_id, clientId) || !isPresentedWith(claims, presentedKey)) return null
  if (keyBinding !== null && keyBinding !== presentedKey) return null
  // Each may have been read by itself: where they do not agree, a raise that keeps the family may have come between.
  const account = isValidFor(read, family) ? read : await findValid(context, family)
  if (!account || epoch > account.epoch) return null
  if (actorOf(claims) !== (family.impersonation?.by ?? null)) return null
  const { impersonation } = family
  if (impersonation !== null && !(await isStillHeld(context, account, impersonation))) return null
  const scopes = narrow(family.scopes, claims.scope)
  return toFacts(context, account, scopes === family.scopes ? family : { ...family, scopes }, 'bearer')
}

/** A token of the service itself names no client. */
function isOf(named: unknown, clientId: string): boolean {
  return named === undefined ? clientId === firstPartyClientId : named === clientId
}

/** RFC 8693 §4.1: returns the actor of the token. */
function actorOf({ act }: VerifiedClaims): unknown {
  if (act === undefined) return null
  return typeof act === 'object' && act !== null && 'sub' in act ? act.sub : undefined
}

/** Whether a token is bound to no key, or to the key of the request. */
function isPresentedWith({ cnf }: VerifiedClaims, presentedKey: string | null): boolean {
  return cnf === undefined || (presentedKey !== null && thumbprintOf(cnf) === presentedKey)
}

function thumbprintOf(cnf: unknown): unknown {
  return typeof cnf === 'object' && cnf !== null && 'jkt' in cnf ? cnf.jkt : null
}

/** A token may have fewer scopes than the grant, never more. */
function narrow(scopes: readonly string[] | null, claimed: unknown): readonly string[] | null {
  if (scopes === null || claimed === undefined) return scopes
  const asked = readScopes(claimed)
  return scopes.filter((scope) => asked.includes(scope))
}

function readScopes(claimed: unknown): readonly string[] {
  return typeof claimed === 'string' ? claimed.split(' ').filter((scope) => scope !== '') : []
}

async function identifyClient(
  context: AccountsContext,
  claims: VerifiedClaims,
  presentedKey: string | null,
): Promise<Extract<IdentityFacts, { readonly kind: 'client' }> | null> {
  return (await context.opened.isDenied(claims)) ? null : toClientFacts(claims, presentedKey)
}

/** RFC 9068 §2.2: without an account the subject is the client itself. */
function toClientFacts(
  claims: VerifiedClaims,
  presentedKey: string | null,
): Extract<IdentityFacts, { readonly kind: 'client' }> | null {
  const { sub, client_id: clientId } = claims
  if (clientId !== sub || clientId === firstPartyClientId || !isPresentedWith(claims, presentedKey)) return null
  return {
    kind: 'client',
    subject: sub,
    roles: [],
    clientId: sub,
    firstParty: false,
    scopes: readScopes(claims.scope),
    grant: null,
    keyBinding: claims.cnf === undefined ? null : presentedKey,
    factors: [],
    enrolledFactors: [],
    enrollmentDueAt: null,
    mustEnroll: false,
    key: null,
    lineage: null,
    via: 'bearer',
    epoch: null,
    impersonator: null,
  }
}
