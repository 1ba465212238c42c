import type { Impersonation, RefreshFamily } from '@latchkey/sessions'
import { firstPartyClientId } from '@latchkey/sessions/internal'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { AccountFacts } from '../contract/account-facts.ts'
import type { Accounts } from '../contract/accounts.ts'
import { required } from '../errors.ts'
import type { StoredAccount } from '../store/account-store.ts'
import { toFacts } from './identity-facts.ts'
import { claimsOf, confirmAccount, signOrEnd } from './issue-credentials.ts'
import { isStillHeld } from './judge-impersonation.ts'

/**
 * The credentials with which an administrator acts as another account, in the form of the administrator's own
 * credentials.
 */
export type ImpersonationCredentials = NonNullable<Awaited<ReturnType<Accounts['startImpersonation']>>>['credentials']

export interface IssuedImpersonation {
  readonly credentials: ImpersonationCredentials
  readonly identity: AccountFacts
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

interface ImpersonationRequest {
  readonly account: StoredAccount
  readonly impersonation: Impersonation
  readonly via: 'cookie' | 'bearer'
}

/**
 * Impersonated → credentials. As in a sign-in they are stored first, then both accounts are read again. The owner does
 * not see the administrator's location. `null`: one of the two accounts has changed in between.
 */
export async function issueImpersonation(
  context: AccountsContext,
  { account: { id: subject, epoch }, impersonation, via }: ImpersonationRequest,
): Promise<IssuedImpersonation | null> {
  const { lifetimeSeconds } = required(context.impersonation, 'impersonation')
  const endsAt = context.now() + lifetimeSeconds * 1000
  const input = { subject, epoch, factors: [], impersonation, endsAt } as const
  if (via === 'bearer') return issueToken(context, input)
  const issued = await context.sessions.create({ ...input, persistent: false })
  const account = issued && (await confirmBoth(context, issued.session))
  if (!account) return null
  const identity = toFacts(context, account, issued.session, 'cookie')
  return { credentials: { delivery: 'session', ...issued }, identity, expiresAt: issued.session.expiresAt }
}

type Opened = Parameters<typeof confirmAccount>[1] & { readonly impersonation: Impersonation | null }

async function confirmBoth(context: AccountsContext, opened: Opened): Promise<StoredAccount | null> {
  const account = await confirmAccount(context, opened)
  let isHeld = false
  try {
    isHeld = account !== null && (await isStillHeld(context, account, opened.impersonation))
  } finally {
    if (!isHeld) await context.sessions.revoke(opened.subject, opened.key)
  }
  return isHeld ? account : null
}

interface FamilyInput {
  readonly subject: string
  readonly epoch: number
  readonly factors: readonly []
  readonly impersonation: Impersonation
  readonly endsAt: number
}

/** The token is valid while the family is valid. No client receives the family's refresh token. */
async function issueToken(context: AccountsContext, input: FamilyInput): Promise<IssuedImpersonation | null> {
  const { family } = await context.refreshTokens.issue({ ...input, clientId: firstPartyClientId })
  const account = await confirmBoth(context, family)
  return account && signOrEnd(context, family, () => signImpersonation(context, account, family, input.impersonation))
}

/** RFC 8693 §4.1: `act` names who acts as the subject. */
async function signImpersonation(
  context: AccountsContext,
  account: StoredAccount,
  family: RefreshFamily,
  { by }: Impersonation,
): Promise<IssuedImpersonation> {
  const identity = toFacts(context, account, family, 'bearer')
  const { token, expiresAt } = await context.accessTokens.sign(
    { ...claimsOf(context, account, identity), act: { sub: by } },
    { endsAt: family.endsAt },
  )
  const credentials = { delivery: 'bearer', accessToken: token, accessTokenExpiresAt: expiresAt } as const
  return { credentials, identity, expiresAt }
}
