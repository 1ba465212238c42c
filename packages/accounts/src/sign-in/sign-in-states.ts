import type { FactorProof } from '@latchkey/store'
import type { SignInRefusal } from '../accounts-event.ts'
import type { Attempt, JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { ProviderIdentity } from '../contract/provider-identity.ts'
import type { SignedInIdentity } from '../contract/signed-in-identity.ts'
import { judgeAttempt } from '../devices/judge-attempt.ts'
import { offered, required } from '../errors.ts'
import type { CodeOutcome, PresentedCode } from '../mail/sign-in-codes.ts'
import { isBoundTo } from '../providers/provider-binding.ts'
import type { ProviderLink } from '../providers/provider-links.ts'
import { proofOf, saidAt } from '../providers/provider-proof.ts'
import type { ProviderSignIn } from '../providers/provider-sessions.ts'
import type { StoredAccount } from '../store/account-store.ts'
import { canonicalEmail } from '../store/canonical-email.ts'
import { type Answer, answerChallenge, type PresentedAnswer } from './answer-challenge.ts'
import { type EnrolledFactors, readEnrolled } from './enrolled-kinds.ts'
import { freshMs } from './fresh-proof.ts'
import { guardPassword, named, type PasswordGuard, releaseOnFailure, verifyGuarded } from './guard-guesses.ts'
import { readLinkedAccount } from './linked-account.ts'
import { readPasskeyAccount } from './passkey-account.ts'
import { areTwoFactors, type SignInState, takeStep } from './sign-in-transitions.ts'
import { refusedCeremony, type TestedFactor } from './test-factor.ts'

// The states of `signInTransitions` as types that only this file creates, each where the table says that it is reached.
// Credentials are issued for `SignedIn` and renewed for `SteppedUp` only, so no way of signing in can skip a state.

declare const state: unique symbol

interface Reached<State extends SignInState> {
  readonly [state]: State
  readonly account: StoredAccount
  readonly factors: readonly FactorProof[]
  /** The origin of the proof. */
  readonly attempt: JudgedAttempt
  /** The sign-in at a provider that it came of. Omitted: none. */
  readonly provider?: ProviderSignIn
}

/** The first factor of an active account was presented. No credential exists yet. */
export type FirstFactorProven = Reached<'first-factor-proven'>

/** `needsRehash`: the hash of the password has outdated parameters. */
export type PasswordProven = FirstFactorProven & { readonly needsRehash: boolean }

/**
 * All factors that the account requires were presented: credentials may be issued. `byRememberedDevice`: the device
 * presented the second factor at an earlier sign-in, so it is not in `factors`.
 */
export type SignedIn = Reached<'signed-in'> & { readonly byRememberedDevice?: boolean }

/** The first factor was presented, and the account has a second factor. No credential exists yet. */
export type SecondFactorPending = Reached<'second-factor-pending'> & {
  readonly isPending: true
  /** The second factors that the account has. */
  readonly enrolled: EnrolledFactors
}

/** A signed-in user has presented a factor again: the credential may be renewed. */
export type SteppedUp = Reached<'stepped-up'>

/** `needsRehash`: as of `PasswordProven`. */
export type PasswordProvenAgain = SteppedUp & { readonly needsRehash: boolean }

/** The attempt is refused; the reason is for the event. */
export interface Refused {
  readonly refused: SignInRefusal
  readonly accountId: string | null
  /** The typed text if no account has it, for the audit. */
  readonly identifier?: string
  readonly attempt: JudgedAttempt
}

/** A password to test, with its origin. All guesses at passwords pass through here. */
interface PresentedPassword {
  readonly password: string
  readonly attempt: Attempt
}

export interface PasswordAttempt extends PresentedPassword {
  readonly email: string
}

/** Anonymous → first factor proven, with a password. */
export async function provePassword(
  context: AccountsContext,
  { email, ...shown }: PasswordAttempt,
): Promise<PasswordProven | Refused> {
  const address = canonicalEmail(email)
  const account = address === null ? null : await context.accounts.getByEmail(address)
  return testPassword<PasswordProven>(context, 'anonymous', { account, identifier: address ?? `${email}`, ...shown })
}

/** Signed in, or restricted → stepped up, with the password of the account. */
export async function provePasswordAgain(
  context: AccountsContext,
  { subject, mustEnroll, ...shown }: PresentedPassword & Pick<SignedInIdentity, 'subject' | 'mustEnroll'>,
): Promise<PasswordProvenAgain | Refused> {
  const account = await context.accounts.get(subject)
  const from = mustEnroll ? 'restricted' : 'signed-in'
  const identifier = account?.email ?? subject
  return testPassword<PasswordProvenAgain>(context, from, { account, identifier, ...shown })
}

interface TestedPassword extends PresentedPassword {
  readonly account: StoredAccount | null
  /** The key by which attempts are counted. */
  readonly identifier: string
}

/**
 * Counts the attempt, computes exactly one hash for every input, and looks at the status of the account after it, so that no
 * answer is faster than another.
 *
 * @throws AccountsError ATTEMPTS_RATE_LIMITED
 */
async function testPassword<Proven extends PasswordProven | PasswordProvenAgain>(
  context: AccountsContext,
  from: SignInState,
  { account, identifier, password, attempt: shown }: TestedPassword,
): Promise<Proven | Refused> {
  const attempt = judgeAttempt(context, shown, account)
  const guard = await guardPassword(context, { account, identifier, attempt })
  const { ok, needsRehash } = await verifyGuarded(context, guard, { password, hash: account?.passwordHash ?? null })
  const isRight = ok && account?.status === 'active'
  const counts = await guard.settle(isRight)
  const facts = { account, isPasswordRight: ok, isPasswordDisabled: isRight && !counts, factors: [], enrolled: [] }
  const { to, when } = takeStep(from, 'password', facts)
  if (to === 'refused') return { refused: when as SignInRefusal, ...named(account, identifier), attempt }
  const factors: readonly FactorProof[] = [{ kind: 'password', at: context.now(), category: 'know' }]
  return { account, factors, attempt, needsRehash } as Proven
}

/** A code of a mail, and the address that it was sent to. */
export interface EmailCodeAttempt extends PresentedCode {
  readonly email: string
  readonly attempt: Attempt
}

/**
 * Anonymous → first factor proven, with a code of a mail. The code is counted together with the password, so it adds no
 * guess to the guesses that an account allows.
 *
 * @throws AccountsError ATTEMPTS_RATE_LIMITED
 */
export async function proveEmailCode(
  context: AccountsContext,
  { email, challenge, code, attempt: shown }: EmailCodeAttempt,
): Promise<FirstFactorProven | Refused> {
  const codes = required(context.signInCodes, 'signIn.emailCode')
  const address = canonicalEmail(email)
  const account = address === null ? null : await context.accounts.getByEmail(address)
  const identifier = address ?? `${email}`
  const attempt = judgeAttempt(context, shown, account)
  const guard = await guardPassword(context, { account, identifier, attempt })
  const target = account && { accountId: account.id, epoch: account.epoch }
  const outcome = await releaseOnFailure(guard, codes.test({ challenge, code }, target))
  const isPasswordDisabled = !(await settleCode(guard, outcome, account))
  const facts = { account, factors: [], enrolled: [], shown: outcome, isPasswordDisabled }
  const { to, when } = takeStep('anonymous', 'email-code', facts)
  if (!account || to === 'refused') return { refused: when as SignInRefusal, ...named(account, identifier), attempt }
  // Who reads the mailbox can set a password as well: it is no second factor beside one.
  const factors: readonly FactorProof[] = [{ kind: 'email-code', at: context.now(), category: 'know' }]
  return { account, factors, attempt } as FirstFactorProven
}

/** `false`: the code was right, but the account is closed to guesses. A right code that lost a race is not counted. */
async function settleCode(guard: PasswordGuard, outcome: CodeOutcome, account: StoredAccount | null): Promise<boolean> {
  if (outcome === 'factor-overtaken') {
    await guard.release()
    return true
  }
  const isRight = outcome === 'right-factor' && account?.status === 'active'
  return (await guard.settle(isRight)) || !isRight
}

/** The callback of a provider. */
interface PresentedProvider {
  readonly identity: ProviderIdentity
  readonly attempt: Attempt
}

/**
 * Anonymous → first factor proven, with the callback of a provider.
 *
 * @param shown with the link of the user of the provider; `null`: no account is linked.
 */
export async function proveProvider(
  context: AccountsContext,
  { identity, link, attempt: shown }: PresentedProvider & { readonly link: ProviderLink | null },
): Promise<FirstFactorProven | Refused> {
  const providers = required(context.providers, 'signIn.providers')
  const account = link && (await readLinkedAccount(context, providers, link))
  const attempt = judgeAttempt(context, shown, account)
  const outcome = identity.binding === null ? 'right-factor' : 'other-session'
  const { to, when } = takeStep('anonymous', 'provider', { account, factors: [], enrolled: [], shown: outcome })
  if (!account || to === 'refused') return { refused: when as SignInRefusal, accountId: account?.id ?? null, attempt }
  const { issuer, subject, sid } = identity
  const factors: readonly FactorProof[] = [proofOf(providers, identity, context.now())]
  const since = saidAt(identity, context.now())
  return { account, factors, attempt, provider: { issuer, subject, sid, since } } as FirstFactorProven
}

/** Why a callback does not prove again who is signed in, for the event. */
export interface RefusedProvider {
  readonly refused: string
}

/** Signed in, or restricted → stepped up, with the callback of a provider that was started in the session. */
export async function proveProviderAgain(
  context: AccountsContext,
  {
    identity: by,
    attempt: shown,
    ...identity
  }: ProviderIdentity & {
    readonly identity: SignedInIdentity
    readonly attempt: Attempt
  },
): Promise<SteppedUp | RefusedProvider> {
  const providers = required(context.providers, 'signIn.providers')
  const [account, link] = await Promise.all([
    context.accounts.get(by.subject),
    providers.links.get(identity.issuer, identity.subject),
  ])
  const proof = proofOf(providers, identity, context.now())
  const isOfSession = isBoundTo(identity.binding, 'confirm', by.key ?? null)
  const isFresh = context.now() - proof.at <= freshMs
  const judged = link?.accountId !== by.subject ? 'factor-wrong' : isFresh ? 'right-factor' : 'factor-stale'
  const outcome = isOfSession ? judged : 'other-session'
  const facts = { account, factors: [], enrolled: [], shown: outcome } as const
  const { to, when } = takeStep(by.mustEnroll ? 'restricted' : 'signed-in', 'provider', facts)
  if (!account || to === 'refused') return { refused: when }
  const factors: readonly FactorProof[] = [proof]
  return { account, factors, attempt: judgeAttempt(context, shown, account) } as SteppedUp
}

/** A passkey without a name. */
interface PresentedPasskey {
  readonly response: unknown
  /** The secret of the browser that requested the challenge; `null`: it presents none. */
  readonly binding: string | null
  readonly attempt: Attempt
}

/** A code or a passkey that was not accepted; the details are for the event. */
export interface RefusedFactor {
  readonly tested: TestedFactor
  readonly accountId: string | null
  readonly attempt: JudgedAttempt
}

/** Anonymous → first factor proven, with a passkey. */
export async function provePasskey(
  context: AccountsContext,
  { response, binding, attempt: shown }: PresentedPasskey,
): Promise<FirstFactorProven | Refused | RefusedFactor> {
  const verdict = await offered(context.passkeys).finishSignIn(response, { binding })
  const account = verdict.ok ? await readPasskeyAccount(context, verdict) : null
  const attempt = judgeAttempt(context, shown, account)
  const factors: readonly FactorProof[] = verdict.ok ? [verdict.proof] : []
  const outcome = verdict.ok ? 'right-factor' : 'factor-wrong'
  const { to, when } = takeStep('anonymous', 'passkey', { account, factors, enrolled: [], shown: outcome })
  if (!verdict.ok) return { tested: refusedCeremony(verdict), accountId: verdict.accountId ?? null, attempt }
  if (account && to === 'first-factor-proven') return { account, factors, attempt } as FirstFactorProven
  return { refused: when as SignInRefusal, accountId: account?.id ?? null, attempt }
}

/**
 * First factor proven → signed in, or second factor pending: the only place where further factors are required.
 *
 * @param shown the token of a remembered device. It is checked only if a second factor would be required.
 */
export async function completeSignIn(
  context: AccountsContext,
  { account, factors, attempt, provider }: FirstFactorProven,
  shown: string | null = null,
): Promise<SignedIn | SecondFactorPending> {
  const enrolled = await readEnrolled(context, account)
  const { kinds } = enrolled
  const isMoreAsked = kinds.length > 0 && !areTwoFactors(factors)
  const isRemembered = isMoreAsked && (await context.trustedDevices?.recognize(shown, account)) === true
  const { to } = takeStep('first-factor-proven', 'requirements', { account, factors, enrolled: kinds, isRemembered })
  const reached = { account, factors, attempt, ...(provider && { provider }) }
  if (to === 'signed-in') return { ...reached, byRememberedDevice: isRemembered } as SignedIn
  return { ...reached, isPending: true, enrolled } as SecondFactorPending
}

/**
 * Anonymous → second factor pending, by a new password and the valid link of a mail, if the account has a second factor
 * and no password, as after an undone change of address. `null`: the link is enough. It does not sign in.
 */
export async function beginReset(
  context: AccountsContext,
  { account, attempt }: { readonly account: StoredAccount; readonly attempt: JudgedAttempt },
): Promise<SecondFactorPending | null> {
  const enrolled = await readEnrolled(context, account)
  const { to } = takeStep('anonymous', 'reset', { account, factors: [], enrolled: enrolled.kinds })
  if (to !== 'second-factor-pending') return null
  const factors: readonly FactorProof[] = [{ kind: 'password', at: context.now(), category: 'know' }]
  return { account, factors, attempt, isPending: true, enrolled } as SecondFactorPending
}

/** Whether a factor of this kind, with its weakest category, would complete the sign-in. */
export function wouldComplete({ factors }: SecondFactorPending, kind: string): boolean {
  return areTwoFactors([...factors, { kind, at: 0 }])
}

/** The state after an answer to a challenge. */
export type SecondFactorProven = { readonly tested: TestedFactor } & (
  | {
      readonly signedIn: SignedIn
      /** The hash of the password that a reset is to set before anything is opened; `null`: it is a sign-in. */
      readonly passwordHash: string | null
    }
  | { readonly steppedUp: SteppedUp }
)

/** Second factor pending → signed in, or signed in → stepped up, by the answer to a challenge. */
export async function proveSecondFactor(
  context: AccountsContext,
  shown: PresentedAnswer,
): Promise<SecondFactorProven | RefusedFactor> {
  const answer = await answerChallenge(context, shown)
  const { tested, challenge, account, attempt } = answer
  if (!challenge) return { tested, accountId: null, attempt }
  const isStepUp = challenge.purpose === 'step-up'
  const factors = factorsOf(answer, isStepUp)
  const facts = { account, factors, enrolled: [], shown: tested.outcome }
  const { to, when } = takeStep(isStepUp ? 'signed-in' : 'second-factor-pending', tested.kind, facts)
  const { provider } = challenge
  const reached = { account, factors, attempt, ...(provider && { provider }) }
  if (to === 'signed-in') return { tested, signedIn: reached as SignedIn, passwordHash: challenge.passwordHash ?? null }
  if (to === 'stepped-up') return { tested, steppedUp: reached as SteppedUp }
  const judged = tested.detail === '' || tested.detail === 'account-changed' ? { ...tested, detail: when } : tested
  return { tested: judged, accountId: challenge.accountId, attempt }
}

/** A step-up adds the fresh proof; a sign-in also has the proofs from before. */
function factorsOf({ tested: { proof }, challenge }: Answer, isStepUp: boolean): readonly FactorProof[] {
  const before = isStepUp ? [] : (challenge?.proven ?? [])
  return proof === null ? before : [...before, proof]
}
