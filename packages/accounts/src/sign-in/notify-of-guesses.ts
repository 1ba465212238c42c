import type { JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { type Challenge, triesAtMost } from '../factors/challenges.ts'
import type { MailData } from '../message.ts'
import type { StoredAccount } from '../store/account-store.ts'
import type { TestedFactor } from './test-factor.ts'

/** An answer to a challenge, and its verdict. */
interface Guess {
  readonly account: StoredAccount
  readonly challenge: Challenge
  readonly attempt: JudgedAttempt
  readonly tested: TestedFactor
}

const dayMs = 86_400_000

/**
 * Mails the owner that codes were wrong after a right first factor. They are counted over all challenges of a day: a thief who leaves
 * each challenge before its last try is noticed, too.
 */
export function notifyOfGuesses(
  { mails, mailLinks, now }: AccountsContext,
  { account: { id: accountId, email: to }, challenge, attempt, tested }: Guess,
): void {
  if (challenge.purpose === 'step-up' || tested.kind === 'passkey' || uncounted.has(tested.outcome)) return
  const data = { at: now(), resetUrl: mailLinks.requestPasswordReset, first: firstOf(challenge) }
  const after = { times: triesAtMost, withinMs: dayMs }
  mails.send({ mail: { kind: 'codes-guessed', data }, accountId, attempt, to, after })
}

/** The outcomes of answers that were right, too late, or lost a race. */
const uncounted: ReadonlySet<TestedFactor['outcome']> = new Set(['right-factor', 'challenge-ended', 'factor-overtaken'])

function firstOf({ purpose, proven }: Challenge): MailData['codes-guessed']['first'] {
  const shown = proven.map(({ kind }) => kind)
  if (purpose === 'reset' || shown.includes('email-code')) return 'mail'
  return shown.includes('provider') ? 'provider' : 'password'
}
