import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { toAccount } from '../../store/account-store.ts'
import { listApiKeys } from '../api-keys/list-api-keys.ts'
import { listFactors, listPasskeys } from '../factors/list-factors.ts'
import { listSessions } from '../manage-sessions.ts'
import { linkedProviders } from '../providers/list-providers.ts'

/** Each member is chosen by name, so that a new member of a store or part is not exported by accident. */
export async function exportAccount(
  context: AccountsContext,
  { identity: { subject, key: sessionKey = null }, attempt: shown }: Parameters<Accounts['exportAccount']>[0],
): Promise<string | null> {
  const account = await context.accounts.get(subject)
  if (!account) return null
  const { grants, auditEntries, application } = context.dataExport
  const own = toAccount(account)
  const data = {
    exportedAt: toInstant(context.now()),
    account: own,
    sessions: await exportSessions(context, subject),
    factors: await exportFactors(context, subject),
    passkeys: await exportPasskeys(context, subject),
    ...(context.providers && { providers: await exportProviders(context, subject) }),
    ...(context.apiKeys && { apiKeys: await exportApiKeys(context, subject) }),
    ...(grants && { grants: await grants(own) }),
    ...(auditEntries && { auditEntries: await auditEntries(own) }),
    ...(application && { application: await application(own) }),
  }
  const text = JSON.stringify(data, null, 2)
  context.emit({ type: 'account.exported', ...judgeAttempt(context, shown, account), accountId: subject, sessionKey })
  return text
}

function toInstant(at: number): string {
  return new Date(at).toISOString()
}

function toInstantOrNull(at: number | null): string | null {
  return at === null ? null : toInstant(at)
}

async function exportSessions(context: AccountsContext, subject: string): Promise<readonly object[]> {
  return (await listSessions(context, subject)).map((session) => ({
    kind: session.kind,
    clientId: session.clientId,
    createdAt: toInstant(session.createdAt),
    lastUsedAt: toInstant(session.lastUsedAt),
    expiresAt: toInstant(session.expiresAt),
    device: session.device,
    ...(session.impersonation && { impersonatedBy: session.impersonation.by }),
  }))
}

async function exportFactors(context: AccountsContext, subject: string): Promise<readonly object[]> {
  return (await listFactors(context, subject)).map(({ kind, category, createdAt, lastUsedAt, isDisabled }) => ({
    kind,
    category,
    createdAt: toInstant(createdAt),
    lastUsedAt: toInstantOrNull(lastUsedAt),
    isDisabled,
  }))
}

async function exportApiKeys(context: AccountsContext, subject: string): Promise<readonly object[]> {
  return (await listApiKeys(context, subject)).map(({ name, start, scopes, createdAt, expiresAt, lastUsedAt }) => ({
    ...{ name, start, scopes },
    createdAt: toInstant(createdAt),
    expiresAt: toInstant(expiresAt),
    lastUsedAt: toInstantOrNull(lastUsedAt),
  }))
}

async function exportProviders(context: AccountsContext, subject: string): Promise<readonly object[]> {
  return (await linkedProviders(context, subject)).map(({ issuer, createdAt }) => ({
    issuer,
    createdAt: toInstant(createdAt),
  }))
}

async function exportPasskeys(context: AccountsContext, subject: string): Promise<readonly object[]> {
  return (await listPasskeys(context, subject)).map(({ name, createdAt, lastUsedAt, backedUp }) => ({
    name,
    createdAt: toInstant(createdAt),
    lastUsedAt: toInstantOrNull(lastUsedAt),
    backedUp,
  }))
}
