import type { AccountsContext } from '../context/accounts-context.ts'
import { invalidLink, type Refusal } from '../errors.ts'

/** The link of a mail, before it is used. */
export interface CheckLinkInput {
  /** What `verifyEmail` takes, or `resetPassword`. */
  readonly purpose: 'verify-email' | 'reset-password'
  readonly token: string
}

/** The verdict on a link that stays as it is. */
export type CheckLinkResult = { readonly ok: true } | Refusal<'link-invalid'>

/** Reads the record of the link and no account. What is no token of this service costs no read. */
export async function checkLink(
  { pendingAccounts, resets }: AccountsContext,
  { purpose, token }: CheckLinkInput,
): Promise<CheckLinkResult> {
  const links = purpose === 'verify-email' ? pendingAccounts : resets
  return (await links.read(token)) === null ? invalidLink : { ok: true }
}
