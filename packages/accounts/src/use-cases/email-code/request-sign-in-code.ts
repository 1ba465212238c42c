import type { PresentedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { checkDelivery, type Delivery } from '../../delivery.ts'
import { judgeAttempt } from '../../devices/known-device.ts'
import { required } from '../../errors.ts'
import { canonicalEmail } from '../../store/canonical-email.ts'

export interface RequestSignInCodeInput {
  readonly email: string
  /**
   * How the sign-in will be delivered: with `native` the challenge is for the body, else for a cookie.
   * @default 'session'
   */
  readonly delivery?: Delivery
  /** Where it comes from: strangers do not use up the mails that a known device may ask for. */
  readonly attempt: PresentedAttempt
}

/** The request is taken, whether or not there is such an account. */
export interface SignInCodeRequested {
  readonly accepted: true
  /** What the code works beside, for a cookie that scripts cannot read or an application outside browsers. It is a secret. */
  readonly challenge: string
}

/**
 * The answer is the same in every case, after the same work, one read, and before anything is stored. Nothing is stored at
 * all where no account can sign in: the code is drawn for an account that can, later, at a random moment.
 */
export async function requestSignInCode(
  context: AccountsContext,
  { email: text, delivery = 'session', attempt: shown }: RequestSignInCodeInput,
): Promise<SignInCodeRequested> {
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
