import type { Attempt, JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { SignedInIdentity } from '../contract/signed-in-identity.ts'
import { judgeAttempt } from '../devices/judge-attempt.ts'
import type { OpenChallenge } from '../factors/challenges.ts'
import type { StoredAccount } from '../store/account-store.ts'
import { guardCode } from './guard-guesses.ts'
import { notifyOfGuesses } from './notify-of-guesses.ts'
import type { PresentedOutcome } from './sign-in-transitions.ts'
import { kindOf, type PresentedFactor, type TestedFactor, testFactor, untested } from './test-factor.ts'

/** The answer to a challenge, with its sender. */
export interface PresentedAnswer {
  /** `null`: the challenge does not exist or is no longer valid. */
  readonly challenge: OpenChallenge | null
  readonly shown: PresentedFactor
  readonly identity: SignedInIdentity | null
  readonly attempt: Attempt
}

/** The outcome of an answer. */
export interface Answer {
  readonly tested: TestedFactor
  /** `null`: the challenge cannot be answered. */
  readonly challenge: OpenChallenge | null
  readonly account: StoredAccount | null
  readonly attempt: JudgedAttempt
}

/**
 * Takes one try of the challenge, tests the code, and removes the challenge if the code is right: for one of several
 * right answers only. A kind of code that cannot answer this challenge is not tested, so a recovery code is not spent
 * by mistake.
 */
export async function answerChallenge(context: AccountsContext, answer: PresentedAnswer): Promise<Answer> {
  const { challenge, shown, identity } = answer
  const account = challenge && (await context.accounts.get(challenge.accountId))
  const said = { challenge, account, attempt: judgeAttempt(context, answer.attempt, account) }
  const refuse = (outcome: Exclude<PresentedOutcome, 'right-factor'>): Answer => ({
    ...said,
    tested: untested(kindOf(shown), outcome),
  })
  if (!challenge) return refuse('challenge-ended')
  if (!isAsked(challenge, identity)) return refuse('other-session')
  if (account?.status !== 'active' || account.epoch !== challenge.epoch) return refuse('account-changed')
  const { attempt } = said
  const test = (): Promise<TestedFactor> => testAnswer(context, challenge, { shown, account, attempt })
  const tested = await guardCode(context, { accountId: account.id, shown, attempt }, test)
  notifyOfGuesses(context, { account, challenge, attempt, tested })
  return { ...said, tested }
}

/** An answer to a challenge of an account. */
interface TestedAnswer extends Pick<PresentedAnswer, 'shown'> {
  readonly account: StoredAccount
  readonly attempt: JudgedAttempt
}

async function testAnswer(
  context: AccountsContext,
  challenge: OpenChallenge,
  { shown, account, attempt }: TestedAnswer,
): Promise<TestedFactor> {
  const { challenges } = context
  const spent = await challenges.spendTry(challenge)
  if (!spent) return untested(kindOf(shown), 'challenge-ended')
  if (!challenge.kinds.includes(kindOf(shown))) return untested(kindOf(shown), 'kind-refused')
  const tested = await testFactor(context, { account, binding: challenge.key, attempt }, shown)
  if (tested.outcome === 'factor-overtaken') await challenges.returnTry(spent)
  if (tested.outcome !== 'right-factor' || (await challenges.end(challenge))) return tested
  return { ...tested, outcome: 'challenge-ended', detail: 'challenge-ended', proof: null }
}

/** A step-up is answered by the session that it was asked for. */
function isAsked({ purpose, accountId, sessionKey }: OpenChallenge, identity: SignedInIdentity | null): boolean {
  if (purpose !== 'step-up') return true
  return identity !== null && identity.subject === accountId && sessionKey !== null && identity.key === sessionKey
}
