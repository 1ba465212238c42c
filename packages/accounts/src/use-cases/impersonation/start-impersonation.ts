import type { Impersonation } from '@latchkey/sessions'
import type { ImpersonationRefusal } from '../../accounts-event.ts'
import type { JudgedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import type { SignedInIdentity } from '../../contract/signed-in-identity.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { AccountsError, required } from '../../errors.ts'
import { issueImpersonation } from '../../sign-in/issue-impersonation.ts'
import { isWithinReach } from '../../sign-in/judge-impersonation.ts'
import { isValidFor } from '../../sign-in/kept-key.ts'
import { takeStep } from '../../sign-in/sign-in-transitions.ts'
import { type StoredAccount, toAccount } from '../../store/account-store.ts'
import { readReason } from './stated-reason.ts'

export type ImpersonationStarted = NonNullable<Awaited<ReturnType<Accounts['startImpersonation']>>>

/**
 * Signed in → impersonated. The administrator's session stays unchanged, and the impersonation is valid only while that
 * session is.
 */
export async function startImpersonation(
  context: AccountsContext,
  { identity, accountId, reason, attempt: shown }: Parameters<Accounts['startImpersonation']>[0],
): Promise<ImpersonationStarted | null> {
  const offered = required(context.impersonation, 'impersonation')
  const statedReason = readReason(reason)
  const attempt = judgeAttempt(context, shown, null)
  const { subject: actorId } = identity
  const of = { attempt, actorId }
  const impersonation = await findStanding(context, identity)
  if (typeof impersonation === 'string') return refuse(context, { ...of, accountId: null }, impersonation)
  const account = await context.accounts.get(accountId)
  const isReached = account !== null && (await isWithinReach(offered, impersonation.administrator, account))
  const facts = { account, factors: [], enrolled: [], isOwn: accountId === actorId, isWithinReach: isReached }
  const { to, when } = takeStep('signed-in', 'impersonation', facts)
  if (!account || to !== 'impersonated') {
    return refuse(context, { ...of, accountId: account?.id ?? null }, when as ImpersonationRefusal)
  }
  return open(context, { account, impersonation, via: identity.via ?? 'bearer', statedReason, attempt })
}

/** The administrator's session, with the administrator's account. */
interface Standing extends Impersonation {
  readonly administrator: Pick<StoredAccount, 'id' | 'roles'>
}

async function findStanding(
  { opened }: AccountsContext,
  { subject: by, key = null, impersonator = null }: SignedInIdentity,
): Promise<Standing | ImpersonationRefusal> {
  const holder = key === null ? null : await opened.holder(by, key)
  if (impersonator !== null || (holder && holder.session.impersonation !== null)) return 'impersonated'
  if (!holder || holder.session.clientId !== null || !isValidFor(holder.account, holder.session))
    return 'account-changed'
  const { account: administrator, session } = holder
  return { by, epoch: administrator.epoch, key: session.key, administrator }
}

interface Opening {
  readonly account: StoredAccount
  readonly impersonation: Impersonation
  readonly via: 'cookie' | 'bearer'
  readonly statedReason: string
  readonly attempt: JudgedAttempt
}

async function open(
  context: AccountsContext,
  { account, impersonation, via, statedReason, attempt }: Opening,
): Promise<ImpersonationStarted | null> {
  const { id: accountId } = account
  const { by: actorId } = impersonation
  const said = { ...attempt, accountId, actorId, impersonatorId: actorId, via, statedReason } as const
  const starting = context.trail.plan({ type: 'impersonation.started', ...said })
  await starting.begin()
  const issued = await issueImpersonation(context, { account, impersonation, via })
  if (!issued) {
    await starting.failed()
    return refuse(context, { attempt, actorId, accountId }, 'account-changed')
  }
  const { credentials, identity, expiresAt } = issued
  await starting.done({ type: 'impersonation.started', ...said, sessionKey: identity.key, expiresAt })
  notifyOwner(context, account, attempt)
  return { account: toAccount(account), credentials, identity, expiresAt }
}

function notifyOwner(
  { impersonation, mails, mailLinks, now }: AccountsContext,
  account: StoredAccount,
  attempt: JudgedAttempt,
): void {
  if (!impersonation?.notify) return
  const minutes = Math.ceil(impersonation.lifetimeSeconds / 60)
  const mail = { kind: 'impersonated', data: { at: now(), devicesUrl: mailLinks.devices, minutes } } as const
  mails.send({ mail, accountId: account.id, attempt, to: account.email })
}

interface Refused {
  readonly attempt: JudgedAttempt
  readonly actorId: string
  readonly accountId: string | null
}

/** `null` for an account that does not exist. @throws AccountsError IMPERSONATION_NOT_ALLOWED. */
async function refuse({ trail }: AccountsContext, of: Refused, reason: ImpersonationRefusal): Promise<null> {
  const { attempt, ...said } = of
  await trail.record({ type: 'impersonation.refused', ...attempt, ...said, reason })
  if (reason === 'unknown-account') return null
  throw new AccountsError('IMPERSONATION_NOT_ALLOWED', 'the administrator is not allowed to act as this account', {
    field: 'accountId',
  })
}
