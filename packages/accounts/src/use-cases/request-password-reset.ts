import type { AccountsContext } from '../context/accounts-context.ts'
import type { Accounts } from '../contract/accounts.ts'
import { judgeAttempt } from '../devices/judge-attempt.ts'
import { isClosed } from '../store/account-store.ts'
import { canonicalEmail } from '../store/canonical-email.ts'

/**
 * The answer is the same in every case, after the same work, one read, and before the store is written. Work for an
 * account that may have a password is done later, at a random moment; without such an account the store is not written.
 */
export async function requestPasswordReset(
  context: AccountsContext,
  input: Parameters<Accounts['requestPasswordReset']>[0],
): Promise<true> {
  const { trail, resets, now } = context
  const email = canonicalEmail(input.email)
  const found = email === null ? null : await context.accounts.getByEmail(email)
  const attempt = judgeAttempt(context, input.attempt, found)
  const said = { type: 'password.reset-requested', ...attempt, accountId: found?.id ?? null } as const
  trail.announce(said)
  const mayAsk = await context.askingAddresses.take(attempt)
  if (!found || isClosed(found)) return true
  const at = now()
  context.requestedMails.send({
    counted: 'reset',
    purpose: 'reset-password',
    accountId: found.id,
    to: found.email,
    attempt,
    mayAsk,
    write: async () => {
      const requesting = trail.plan(said)
      await requesting.begin()
      const url = await resets.create(found.email, found)
      await requesting.doneSilently()
      return { kind: 'reset-password', data: { url, at } }
    },
  })
  return true
}
