import { checkAttempt } from './attempt.ts'
import { checkOwner } from './check-owner.ts'
import type { AccountsContext } from './context/accounts-context.ts'
import type { Account } from './store/account-store.ts'
import { type ChangeNameInput, changeName } from './use-cases/own-account/change-name.ts'
import {
  type ConfirmEmailChangeInput,
  type ConfirmEmailChangeResult,
  confirmEmailChange,
} from './use-cases/own-account/confirm-email-change.ts'
import {
  type DeleteAccountInput,
  type DeleteAccountResult,
  deleteAccount,
} from './use-cases/own-account/delete-account.ts'
import { type ExportAccountInput, exportAccount } from './use-cases/own-account/export-account.ts'
import { type RequestEmailChangeInput, requestEmailChange } from './use-cases/own-account/request-email-change.ts'
import {
  type UndoEmailChangeInput,
  type UndoEmailChangeResult,
  undoEmailChange,
} from './use-cases/own-account/undo-email-change.ts'

/**
 * What owners change of their account. None of these asks for a fresh proof by itself: that is the rule of who calls, and
 * all but `changeName` need one.
 */
export interface OwnAccount {
  /**
   * Changes what a person is called. `null`: the account does not exist.
   * @throws AccountsError NAME_INVALID, OPERATION_UNAVAILABLE.
   */
  changeName(input: ChangeNameInput): Promise<Account | null>
  /**
   * Asks for another address. Answer and work are the same whether or not it is taken, and nothing is stored before the
   * answer. The new address gets a link to confirm it, the present one a notice with a link that undoes the change, before it
   * and for `undoDays`. A mailbox gets three of each within an hour, and three more for devices that have signed in to the
   * account before; where the present one gets none, nothing is begun.
   * @throws AccountsError EMAIL_INVALID (`newEmail`), OPERATION_UNAVAILABLE.
   */
  requestEmailChange(input: RequestEmailChangeInput): Promise<true>
  /**
   * Sets the new address of the account with the token of a mail, and ends everything but the session or family that has asked
   * for it. With `undoDays: 0` both addresses confirm, and the second one makes the change.
   * @returns `reason: 'link-invalid'` for a link that was used, has expired or was overtaken by another change of the
   * account, and where the new address was taken in the meantime.
   * @throws AccountsError OPERATION_UNAVAILABLE.
   */
  confirmEmailChange(input: ConfirmEmailChangeInput): Promise<ConfirmEmailChangeResult>
  /**
   * Undoes a change of address with the token of a mail to the present or former one, also before it was confirmed: the
   * account gets the earliest address back that is reserved for it, loses the factors that were added since, keeps older
   * ones, has no password, and everything ends. That address gets a mail to choose a password.
   * @returns `reason: 'link-invalid'` for a link that was used, has expired, or undoes nothing any more.
   * @throws AccountsError OPERATION_UNAVAILABLE.
   */
  undoEmailChange(input: UndoEmailChangeInput): Promise<UndoEmailChangeResult>
  /**
   * Deletes the account and all that belongs to it, for ever: its id is never used again, and its address is free. What
   * `deletion.onDelete` throws passes through; then the account remains, and only the session of the request goes on.
   * @returns `reason: 'invalid-credentials'` where the account has changed since the request began.
   * @throws AccountsError LAST_ADMINISTRATOR, OPERATION_UNAVAILABLE.
   */
  deleteAccount(input: DeleteAccountInput): Promise<DeleteAccountResult>
  /** Returns the data of an account as JSON, without any secret. `null`: the account does not exist. */
  exportAccount(input: ExportAccountInput): Promise<string | null>
}

export function bindOwnAccount(context: AccountsContext): OwnAccount {
  return {
    changeName: async (input) => changeName(context, checkOwner(checkAttempt(input))),
    requestEmailChange: async (input) => requestEmailChange(context, checkOwner(checkAttempt(input))),
    confirmEmailChange: async (input) => confirmEmailChange(context, checkAttempt(input)),
    undoEmailChange: async (input) => undoEmailChange(context, checkAttempt(input)),
    deleteAccount: async (input) => deleteAccount(context, checkOwner(checkAttempt(input))),
    exportAccount: async (input) => exportAccount(context, checkOwner(checkAttempt(input))),
  }
}
