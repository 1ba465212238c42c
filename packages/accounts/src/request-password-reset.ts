import { randomToken } from '@latchkey/bytes'
import type { AccountsContext } from './accounts-context.ts'
import { canonicalEmail } from './canonical-email.ts'
import { resetLetter, sendAfterwards } from './mails.ts'

/** What a link stands for: it counts for the epoch in which it was asked for, and for no later one. */
interface PendingReset {
  readonly epoch: number
}

/**
 * Whoever asks is told the same in every case, after the same work: where there is no account that may have a password,
 * a link is stored all the same, for an account that does not exist, and its token is thrown away.
 */
export async function requestPasswordReset(context: AccountsContext, input: { readonly email: string }): Promise<true> {
  const email = canonicalEmail(input.email)
  const found = email === null ? null : await context.accounts.getByEmail(email)
  const account = found?.status === 'disabled' ? null : found
  // What is no address is nobody's, which is no secret.
  const url = email === null ? '' : await createResetLink(context, account ?? { id: drawId(), epoch: 0 })
  context.emit({ type: 'password-reset-requested', accountId: found?.id ?? null })
  if (!account) return true
  const { id: accountId, email: to } = account
  sendAfterwards(context, { purpose: 'reset-password', accountId, to, letter: resetLetter(url, context.now()) })
  return true
}

/** Stores a link with which the account, while it is of that epoch, can be given a password. */
export async function createResetLink(
  { resets }: AccountsContext,
  { id, epoch }: { readonly id: string; readonly epoch: number },
): Promise<string> {
  const pending: PendingReset = { epoch }
  return (await resets.create({ owner: id, value: JSON.stringify(pending) })).url
}

/** Gives the account and the epoch that a token counts for. */
export async function lookAtReset(
  { resets }: AccountsContext,
  token: string,
): Promise<{ readonly id: string; readonly epoch: number } | null> {
  const link = await resets.look(token)
  if (link?.owner == null) return null
  const { epoch }: PendingReset = JSON.parse(link.value)
  return { id: link.owner, epoch }
}

/** An id that was never used. */
export function drawId(): string {
  return `acc_${randomToken(16)}`
}
