import { checkAttempt } from './attempt.ts'
import type { AccountsContext } from './context/accounts-context.ts'
import { type EndImpersonationInput, endImpersonation } from './use-cases/impersonation/end-impersonation.ts'
import {
  type ImpersonationStarted,
  type StartImpersonationInput,
  startImpersonation,
} from './use-cases/impersonation/start-impersonation.ts'

/** Administrators who act as other accounts: with what the owner sees, and with nothing that is the owner's alone. */
export interface AccountImpersonation {
  /**
   * Lets an administrator act as another account, for `lifetimeSeconds` at most and in the form in which the administrator is
   * signed in: a session, or one access token with `act` (RFC 8693 §4.1) and no refresh token. It ends with the
   * administrator's own session, with each change of either account, and when `mayImpersonate` no longer allows it. Whether one
   * is an administrator, and has shown so lately, is the rule of who calls. `null`: there is no such account.
   * @throws AccountsError REASON_INVALID, IMPERSONATION_NOT_ALLOWED, OPERATION_UNAVAILABLE.
   */
  startImpersonation(input: StartImpersonationInput): Promise<ImpersonationStarted | null>
  /**
   * Ends it, and the session of the administrator whose cookie it has replaced: both sign in anew. `false`: there was nothing to
   * end.
   */
  endImpersonation(input: EndImpersonationInput): Promise<boolean>
}

export function bindImpersonation(context: AccountsContext): AccountImpersonation {
  return {
    startImpersonation: async (input) => startImpersonation(context, checkAttempt(input)),
    endImpersonation: async (input) => endImpersonation(context, checkAttempt(input)),
  }
}
