import type { Accounts } from '@latchkey/accounts'
import type { ClientConsents } from './clients/client-consents.ts'
import { exportedData } from './exported-data.ts'
import type { ServicePlan } from './plan/service-plan.ts'
import { createServiceAccounts } from './service-accounts.ts'
import { openAuthorization, openClientConsents, type ServiceAuthorization } from './service-authorization.ts'
import type { ServiceFoundations } from './service-foundations.ts'

/** The accounts and clients of an open service. */
export interface AccountsAndClients {
  readonly accounts: Accounts
  /** `null` without clients. */
  readonly authorization: ServiceAuthorization | null
  /** `null` without clients. */
  readonly consents: ClientConsents | null
}

/**
 * Opens the authorization server and the accounts. They depend on each other: the server reads who is signed in, and
 * the accounts revoke the tokens that clients got from a session. So the server gets a function that returns the
 * accounts, and the accounts get the consents.
 */
export async function openAccountsAndClients(
  plan: ServicePlan,
  { audit, written, ...foundations }: ServiceFoundations,
): Promise<AccountsAndClients> {
  const { sessions, denyList } = foundations
  const storedVersion = written.current
  const authorization = await openAuthorization(plan, {
    ...{ secrets: foundations.secrets, sessions, denyList, storedVersion, recorder: audit.recorder },
    accounts: () => accounts,
  })
  const accounts: Accounts = createServiceAccounts(plan, {
    ...foundations,
    storedVersion,
    auditing: audit.auditing,
    exported: exportedData({ audit: audit.log, consents: authorization && (() => consents) }),
    authorization: authorization?.server ?? null,
  })
  const consents: ClientConsents | null =
    authorization && openClientConsents(plan, { ...authorization, accounts, sessions, denyList })
  return { accounts, authorization, consents }
}
