import type { Accounts, Attempt } from '@latchkey/accounts'
import type { AuditLog } from '@latchkey/audit'
import type { AuthContext } from '@latchkey/graphql'
import type { AnyPolicy, OpenRoles } from '@latchkey/rbac'
import type { Inline } from '../options/inline.ts'
import type { AccountSession } from '../service/account-session/account-session.ts'
import type { FactorSession } from '../service/account-session/factor-session.ts'
import type { ClientConsents } from '../service/clients/client-consents.ts'

/** The context of resolvers: the identity of the request, its permissions, and the accounts. */
export interface ServerContext<P extends AnyPolicy> extends AuthContext<P> {
  readonly accounts: Accounts
  /** The operations on accounts that read or write cookies. */
  readonly accountSession: AccountSession
  /** The operations on second factors: they read and write the credentials of the request. */
  readonly factorSession: FactorSession
  /** The roles that change while the service runs; `null` without `accounts.changingRoles`. */
  readonly roles: OpenRoles<P> | null
  /**
   * The audit log, for decisions of the application. Write actions that must be audited by `intend`, before their
   * effect; `list` reads them. `null` without an audit log.
   */
  readonly audit: Omit<AuditLog, 'close'> | null
  /** The grants of accounts to clients; `null` without the option `oauth`. */
  readonly consents: Inline<ClientConsents> | null
  /** The id of the request, which its response has in `x-request-id`. */
  readonly requestId: string
  /** Returns the origin of the request, as the methods of `accounts` take it. */
  attempt(): Attempt
}
