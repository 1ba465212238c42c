import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { checkDelivery } from '../../delivery.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { required } from '../../errors.ts'
import { canonicalEmail } from '../../store/canonical-email.ts'

/**
 * The answer is the same in every case, after the same work, one read, and before the store is written. The code is
 * drawn later, at a random moment, and stored only for an account that can sign in.
 */
export async function requestSignInCode(
  context: AccountsContext,
  { email: text, delivery = 'session', attempt: shown }: Parameters<Accounts['requestSignInCode']>[0],
): ReturnType<Accounts['requestSignInCode']> {
  checkDelivery(delivery, context)
  const codes = required(context.signInCodes, 'signIn.emailCode')
  const email = canonicalEmail(text)
  const found = email === null ? null : await context.accounts.getByEmail(email)
  const attempt = judgeAttempt(context, shown, found)
  const requested = { accepted: true, challenge: codes.drawChallenge() } as const
  context.emit({ type: 'sign-in-code.requested', ...attempt, accountId: found?.id ?? null })
  const mayAsk = await context.askingAddresses.take(attempt)
  // Who has not proven the address has perhaps signed up with that of someone else.
  if (found?.status !== 'active') return requested
  const at = context.now()
  const target = { accountId: found.id, epoch: found.epoch }
  context.requestedMails.send({
    counted: 'sign-in-code',
    purpose: 'sign-in-code',
    accountId: found.id,
    to: found.email,
    attempt,
    mayAsk,
    write: async () => {
      const code = await codes.create(requested.challenge, target)
      return { kind: 'sign-in-code', data: { code, at, minutes: Math.floor(codes.lifetimeSeconds / 60) } }
    },
  })
  return requested
}
