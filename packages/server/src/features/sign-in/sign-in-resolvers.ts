import type { Account } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import { type Resolve, rejectCredentials, rejectLink, toSignInPayload } from '../../schema/account-payloads.ts'
import type { ServerContext } from '../../schema/server-context.ts'
import type { CredentialDelivery } from '../../service/account-session/account-session.ts'
import { authenticatedRule } from '../../service/account-session/authenticated-rule.ts'
import { auditEntries } from '../administration/audit-entries.ts'
import { grants, revokeGrant } from '../oauth/grants.ts'
import { factorResolvers } from '../second-factors/factor-resolvers.ts'
import type { OfferedFactors } from '../second-factors/factor-type-defs.ts'

type Context = ServerContext<AnyPolicy>
type Input<Fields> = { readonly input: Fields }
interface SignInFields extends Credentials {
  readonly delivery: CredentialDelivery | null
  readonly deviceToken?: string | null
  readonly trustedDeviceToken?: string | null
}
type Credentials = { readonly email: string; readonly password: string }

export interface AccountResolversOptions {
  readonly offered: OfferedFactors
  readonly isAudited: boolean
  /** There are clients of others. */
  readonly hasClients: boolean
}

/** The resolvers of the account operations: each calls one use case and returns its answer in GraphQL. */
export function accountResolvers(
  policy: AnyPolicy,
  { offered, isAudited, hasClients }: AccountResolversOptions,
): Readonly<Record<string, Readonly<Record<string, Resolve>>>> {
  const ofFactors = factorResolvers(offered)
  const mayRead = policy.permissions.includes('accounts:read')
  const mayAudit = isAudited && policy.permissions.includes('audit:read')
  const mayUpdate = policy.permissions.includes('accounts:update')
  return {
    Account: { role: ({ roles }: Account) => roles[0] },
    Query: {
      viewer,
      sessions,
      csrfToken,
      ...(mayRead && { accounts }),
      ...(mayAudit && { auditEntries }),
      ...(hasClients && { grants }),
      ...ofFactors.Query,
    },
    Mutation: {
      signUp,
      verifyEmail,
      signIn,
      refresh,
      signOut,
      revokeSession,
      revokeAllSessions,
      confirmPassword,
      changePassword,
      requestPasswordReset,
      resetPassword,
      ...(mayUpdate && { setRole: createSetRole(policy) }),
      ...(hasClients && { revokeGrant }),
      ...ofFactors.Mutation,
    },
  }
}

async function viewer(_source: unknown, _args: unknown, { accounts, authorize }: Context): Promise<unknown> {
  const account = await accounts.get(authorize({ ...authenticatedRule, scope: 'openid' }).subject)
  if (account) return account
  // The account was removed after the identity was established.
  throw new AccessError('UNAUTHENTICATED')
}

async function sessions(
  _source: unknown,
  _args: unknown,
  { accounts, consents, authorize }: Context,
): Promise<readonly object[]> {
  const { subject, key } = authorize(authenticatedRule)
  const opened = await accounts.listSessions(subject)
  const listed = (await consents?.nameSessions(subject, opened)) ?? opened
  return listed.map((session) => ({
    id: session.key,
    kind: session.kind,
    createdAt: new Date(session.createdAt).toISOString(),
    lastUsedAt: new Date(session.lastUsedAt).toISOString(),
    expiresAt: new Date(session.expiresAt).toISOString(),
    ...session.device,
    impersonatedBy: session.impersonation?.by ?? null,
    clientId: session.clientId,
    clientName: 'clientName' in session ? session.clientName : null,
    current: session.key === key,
  }))
}

function csrfToken(_source: unknown, _args: unknown, { accountSession }: Context): string | null {
  return accountSession.csrfToken()
}

/** The bounds of `first` are limits of the document, as for any other list. */
async function accounts(_source: unknown, { first }: { first: number | null }, context: Context): Promise<unknown> {
  const limit = first ?? 10
  return limit === 0 ? [] : (await context.accounts.list({ limit })).items
}

function signUp(
  _source: unknown,
  { input }: Input<Credentials & { name: string }>,
  { accountSession }: Context,
): Promise<{ readonly accepted: true }> {
  return accountSession.signUp(input)
}

async function verifyEmail(
  _source: unknown,
  { input }: Input<{ token: string; password?: string | null }>,
  { accountSession }: Context,
): Promise<true> {
  const { ok } = await accountSession.verifyEmail(input)
  return ok || rejectLink()
}

async function signIn(_source: unknown, { input }: Input<SignInFields>, { accountSession }: Context): Promise<unknown> {
  const result = await accountSession.signIn({ ...input, delivery: input.delivery ?? 'SESSION' })
  return result.ok ? toSignInPayload(result) : rejectCredentials()
}

async function refresh(
  _source: unknown,
  { input }: { input?: { refreshToken?: string | null } | null },
  { accountSession }: Context,
): Promise<unknown> {
  const result = await accountSession.refresh(input?.refreshToken ?? null)
  return result.ok ? result : rejectCredentials()
}

function signOut(_source: unknown, _args: unknown, { accountSession }: Context): Promise<boolean> {
  return accountSession.signOut()
}

function revokeSession(
  _source: unknown,
  { id }: { id: string },
  { accounts, authorize, attempt }: Context,
): Promise<boolean> {
  return accounts.revokeSession({ subject: authorize(authenticatedRule).subject, key: id, attempt: attempt() })
}

function revokeAllSessions(
  _source: unknown,
  { exceptCurrent }: { exceptCurrent: boolean | null },
  { accounts, authorize, attempt }: Context,
): Promise<number> {
  const identity = authorize(authenticatedRule)
  return accounts.revokeAllSessions({ identity, exceptCurrent: exceptCurrent ?? true, attempt: attempt() })
}

async function confirmPassword(
  _source: unknown,
  { input }: Input<{ currentPassword: string }>,
  { accountSession }: Context,
): Promise<unknown> {
  const result = await accountSession.confirmPassword(input)
  return result.ok ? toSignInPayload(result) : rejectCredentials()
}

async function changePassword(
  _source: unknown,
  { input }: Input<{ currentPassword: string; newPassword: string }>,
  { accountSession }: Context,
): Promise<true> {
  const { ok } = await accountSession.changePassword(input)
  return ok || rejectCredentials()
}

function requestPasswordReset(
  _source: unknown,
  { input }: Input<{ email: string; deviceToken?: string | null }>,
  { accountSession }: Context,
): Promise<true> {
  return accountSession.requestPasswordReset(input)
}

async function resetPassword(
  _source: unknown,
  { input }: Input<{ token: string; newPassword: string }>,
  { accountSession }: Context,
): Promise<true> {
  const result = await accountSession.resetPassword(input)
  if (!result.ok) return rejectLink()
  if (result.status === 'password-set') return true
  const { challenge, factors } = result
  throw new AccessError('STEP_UP_REQUIRED', {
    message: 'Confirm a second factor first. Answering the challenge sets the password and signs in.',
    challenge,
    factors,
  })
}

/** Roles that change are not an enum, so the role is checked when it is set. */
function createSetRole(policy: AnyPolicy) {
  return async (
    _source: unknown,
    { input: { accountId, role } }: Input<{ accountId: string; role: string }>,
    { accounts, roles, identity, attempt }: Context,
  ): Promise<unknown> => {
    await roles?.refresh()
    if (!Object.hasOwn(policy.currentRoles(), role)) {
      throw new AccessError('BAD_USER_INPUT', { field: 'input.role', message: 'The role does not exist.' })
    }
    const actorId = identity?.subject ?? null
    const account = await accounts.setRoles({ id: accountId, roles: [role], actorId, attempt: attempt() })
    if (!account) throw new AccessError('NOT_FOUND')
    return account
  }
}
