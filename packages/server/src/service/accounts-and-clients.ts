import type { Accounts } from '@latchkey/accounts'
import type { ClientConsents } from './clients/client-consents.ts'
import { exportedData } from './exported-data.ts'
import type { ServicePlan } from './plan/service-plan.ts'
import { createServiceAccounts } from './service-accounts.ts'
import { openAuthorization, openClientConsents, type ServiceAuthorization } from './service-authorization.ts'
import type { ServiceFoundations } from './service-foundations.ts'

/** Who can be known to an open service. */
export interface AccountsAndClients {
  readonly accounts: Accounts
  /** `null`: there are no clients of others. */
  readonly authorization: ServiceAuthorization | null
  /** `null`: there are no clients of others. */
  readonly consents: ClientConsents | null
}

/**
 * Opens the authorization server and the accounts. Each asks the other: the server who has signed in, the accounts to end
 * what clients were given out of a session. So the server gets its accounts when it asks for them, and the accounts the consents.
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
    issuedTokens: authorization?.server ?? null,
  })
  const consents: ClientConsents | null =
    authorization && openClientConsents(plan, { ...authorization, accounts, sessions, denyList })
  return { accounts, authorization, consents }
}
