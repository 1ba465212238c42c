import type { Account, AccountsOptions } from '@latchkey/accounts'
import type { AuditEntry, AuditLog } from '@latchkey/audit'
import type { ClientConsents } from './clients/client-consents.ts'

export interface ExportedDataParts {
  /** `null` without an audit log. */
  readonly audit: Pick<AuditLog, 'list'> | null
  /** Called once the service is open; `null` without clients. */
  readonly consents: (() => Pick<ClientConsents, 'list'> | null) | null
}

/** Returns the exported data of an account that the accounts do not store. */
export function exportedData({
  audit,
  consents,
}: ExportedDataParts): Pick<Required<AccountsOptions>['dataExport'], 'grants' | 'auditEntries'> {
  return {
    ...(consents && { grants: ({ id }: Account) => exportConsents(consents(), id) }),
    ...(audit && { auditEntries: ({ id }: Account) => exportEntries(audit, id) }),
  }
}

async function exportConsents(
  consents: Pick<ClientConsents, 'list'> | null,
  accountId: string,
): Promise<readonly object[]> {
  return ((await consents?.list(accountId)) ?? []).map(({ clientId, clientName, scopes, givenAt, lastUsedAt }) => ({
    clientId,
    clientName,
    scopes,
    givenAt: new Date(givenAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }))
}

const pageSize = 500
/** The newest: of an account that someone guesses at there may be any number. */
const mostEntries = 5000

async function exportEntries(audit: Pick<AuditLog, 'list'>, accountId: string): Promise<readonly object[]> {
  const exported: object[] = []
  let after: string | undefined
  do {
    const page = await audit.list({ accountId, first: pageSize, ...(after !== undefined && { after }) })
    exported.push(...page.items.map((entry) => exportEntry(entry, accountId)))
    after = page.cursor
  } while (after !== undefined && exported.length < mostEntries)
  return exported
}

/**
 * Leaves out the address and user agent of other people, for example administrators: they are not data of the account.
 */
function exportEntry({ at, kind, state, actorId, address, userAgent }: AuditEntry, accountId: string): object {
  const own = actorId === accountId ? { address, userAgent } : {}
  return { at: new Date(at).toISOString(), kind, state, ...own }
}
