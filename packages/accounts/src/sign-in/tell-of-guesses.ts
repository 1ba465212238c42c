import type { Attempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { type Challenge, triesAtMost } from '../factors/challenges.ts'
import type { MailData } from '../mail-kinds.ts'
import type { StoredAccount } from '../store/account-store.ts'
import type { TestedFactor } from './test-factor.ts'

/** A code that answers a challenge, and what came of it. */
interface Guess {
  readonly account: StoredAccount
  readonly challenge: Challenge
  readonly attempt: Attempt
  readonly tested: TestedFactor
}

const dayMs = 86_400_000

/**
 * Writes to the owner that the first factor of a sign-in was right and codes after it were wrong: as many as a challenge has tries, of
 * all challenges of a day, so that who ends none of them is noticed, too.
 */
export function tellOfGuesses(
  { mails, home, now }: AccountsContext,
  { account: { id: accountId, email: to }, challenge, attempt, tested }: Guess,
): void {
  if (challenge.purpose === 'step-up' || tested.kind === 'passkey' || uncounted.has(tested.outcome)) return
  const data = { home, at: now(), first: firstOf(challenge) }
  const after = { times: triesAtMost, withinMs: dayMs }
  mails.send({ mail: { kind: 'codes-guessed', data }, accountId, attempt, to, after })
}

/** Of an answer that was right, came too late, or lost a race. */
const uncounted: ReadonlySet<TestedFactor['outcome']> = new Set(['right-factor', 'challenge-ended', 'factor-overtaken'])

function firstOf({ purpose, proven }: Challenge): MailData['codes-guessed']['first'] {
  const shown = proven.map(({ kind }) => kind)
  if (purpose === 'reset' || shown.includes('email-code')) return 'mail'
  return shown.includes('provider') ? 'provider' : 'password'
}
