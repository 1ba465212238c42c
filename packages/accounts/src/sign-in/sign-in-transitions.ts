import type { FactorProof } from '@latchkey/store'
import type { SecondFactorKind } from '../factors/second-factors.ts'
import { isClosed, type StoredAccount } from '../store/account-store.ts'
import { categorise } from './factor-category.ts'

/**
 * The state of a sign-in. `refused` rejects the attempt; a user who was signed in stays signed in. `stepped-up` is
 * signed in with a factor that was presented again, under a new credential. `restricted` is a request of an account
 * that has to set up a second factor first; the next request starts at `signed-in` again. `impersonated` is an
 * administrator who acts as another account: no step leads to another state.
 */
export type SignInState =
  | 'anonymous'
  | 'first-factor-proven'
  | 'second-factor-pending'
  | 'signed-in'
  | 'stepped-up'
  | 'restricted'
  | 'impersonated'
  | 'refused'

/**
 * The steps of a sign-in: a presented factor; the check which factors the account requires; and `enrollment`, the check
 * of every request whether the account has the second factor that the policy demands by now. `reset` is a new password
 * by a valid link of a mail. `impersonation`: an administrator wants to act as another account.
 */
export type SignInStep =
  | 'password'
  | 'email-code'
  | 'provider'
  | SecondFactorKind
  | 'requirements'
  | 'enrollment'
  | 'reset'
  | 'impersonation'

const refusals = [
  'unknown-account',
  'no-password',
  'wrong-password',
  'password-disabled',
  'unverified',
  'disabled',
  'locked',
] as const

/** Why the account behind a passkey or a challenge is not signed in. */
const closed = ['unknown-account', 'unverified', 'disabled', 'locked'] as const

const challengeRefusals = ['challenge-ended', 'other-session', 'kind-refused', 'account-changed'] as const
const codeRefusals = [
  'factor-wrong',
  'factor-used',
  'factor-overtaken',
  'factor-disabled',
  'factor-not-enrolled',
] as const
/** The reasons to refuse the callback of a provider, besides the status of the account. */
const callbackRefusals = ['other-session', 'factor-wrong', 'factor-stale'] as const
type FactorRefusal =
  | (typeof challengeRefusals)[number]
  | (typeof codeRefusals)[number]
  | (typeof callbackRefusals)[number]
const factorRefusals: readonly FactorRefusal[] = [
  ...new Set([...challengeRefusals, ...codeRefusals, ...callbackRefusals]),
]

/** The outcome of a presented second factor. */
export type PresentedOutcome = FactorRefusal | 'right-factor'

/** A condition of a row. The conditions that lead to `refused` are the reasons in the event. */
export type SignInGuard =
  | (typeof refusals)[number]
  | FactorRefusal
  | 'right-password'
  | 'right-factor'
  | 'same-category'
  | 'device-remembered'
  | 'second-factor-required'
  | 'enrollment-overdue'
  | 'own-account'
  | 'out-of-reach'
  | 'within-reach'
  | 'factor-before-password'
  | 'nothing-more'

interface Facts {
  /** The account, with its hash if a password is tested. */
  readonly account: (Pick<StoredAccount, 'status'> & Partial<Pick<StoredAccount, 'passwordHash'>>) | null
  readonly isPasswordRight?: boolean
  /** Whether too many were wrong in a row, so that the right password does not count. */
  readonly isPasswordDisabled?: boolean
  /** The outcome of the code or passkey. */
  readonly shown?: PresentedOutcome
  /** The factors that were proven so far. */
  readonly factors: readonly FactorProof[]
  /** The kinds of second factors that the account has enrolled. */
  readonly enrolled: readonly string[]
  /** Whether the account lacks a second factor that the policy now requires. */
  readonly isOverdue?: boolean
  /** Whether it is the account of the administrator. */
  readonly isOwn?: boolean
  /** Whether the administrator may act as the account. */
  readonly isWithinReach?: boolean
  /** Whether the device has presented a second factor lately, and is remembered. */
  readonly isRemembered?: boolean
}

/** The conditions of the table, by the names under which the documentation and the events have them. */
const guards: Readonly<Record<SignInGuard, (facts: Facts) => boolean>> = {
  'unknown-account': ({ account }) => account === null,
  'no-password': ({ account }) => account?.passwordHash === null,
  'wrong-password': ({ isPasswordRight }) => isPasswordRight !== true,
  'password-disabled': ({ isPasswordDisabled }) => isPasswordDisabled === true,
  unverified: ({ account }) => account?.status === 'unverified',
  disabled: ({ account }) => account?.status === 'disabled',
  locked: ({ account }) => account?.status === 'locked',
  'right-password': ({ account, isPasswordRight, isPasswordDisabled }) =>
    isPasswordRight === true && isPasswordDisabled !== true && account?.status === 'active',
  ...presentedGuards(),
  'same-category': ({ shown, factors }) => shown === 'right-factor' && !areTwoFactors(factors),
  'right-factor': ({ shown, account }) => shown === 'right-factor' && account?.status === 'active',
  'device-remembered': ({ isRemembered, factors }) =>
    isRemembered === true && factors.some(({ kind }) => kind === 'password'),
  'second-factor-required': ({ enrolled, factors }) => enrolled.length > 0 && !areTwoFactors(factors),
  'enrollment-overdue': ({ isOverdue }) => isOverdue === true,
  'own-account': ({ isOwn }) => isOwn === true,
  'out-of-reach': ({ isWithinReach }) => isWithinReach !== true,
  'within-reach': ({ account, isWithinReach }) => isWithinReach === true && account?.status === 'active',
  'factor-before-password': ({ account, enrolled }) => account?.passwordHash === null && enrolled.length > 0,
  'nothing-more': ({ account }) => account !== null && !isClosed(account),
}

function presentedGuards(): Record<FactorRefusal, (facts: Facts) => boolean> {
  const guardOf = (outcome: PresentedOutcome) => [outcome, ({ shown }: Facts) => shown === outcome] as const
  return Object.fromEntries(factorRefusals.map(guardOf)) as ReturnType<typeof presentedGuards>
}

/** A row of the table. The first row of a state and step whose guard holds decides the next state. */
export interface SignInTransition {
  readonly from: SignInState
  readonly on: SignInStep
  readonly when: SignInGuard
  readonly to: SignInState
}

function passwordIn(from: SignInState, to: SignInState): readonly SignInTransition[] {
  const refused = refusals.map((when) => ({ from, on: 'password', when, to: 'refused' }) as const)
  return [...refused, { from, on: 'password', when: 'right-password', to }]
}

/** The reasons to refuse a code of a mail, in the order of the checks. */
const mailedCodeRefusals = [
  'unknown-account',
  'challenge-ended',
  'account-changed',
  'factor-wrong',
  'factor-overtaken',
  'password-disabled',
  'unverified',
  'disabled',
  'locked',
] as const

/** A code of a mail, with the address that it was sent to. */
function emailCodeIn(from: SignInState, to: SignInState): readonly SignInTransition[] {
  const refused = mailedCodeRefusals.map((when) => ({ from, on: 'email-code', when, to: 'refused' }) as const)
  return [...refused, { from, on: 'email-code', when: 'right-factor', to }]
}

/** The callback of a provider, which names its user. A callback that was started in a session does not sign in. */
function providerIn(): readonly SignInTransition[] {
  const [from, on] = ['anonymous', 'provider'] as const
  const refused = (['other-session', ...closed] as const).map((when) => ({ from, on, when, to: 'refused' }) as const)
  return [...refused, { from, on, when: 'right-factor', to: 'first-factor-proven' }]
}

/** The callback of a provider that a signed-in user started. */
function providerAgain(from: SignInState): readonly SignInTransition[] {
  const on = 'provider'
  const refused = [...closed, ...callbackRefusals].map((when) => ({ from, on, when, to: 'refused' }) as const)
  return [...refused, { from, on, when: 'right-factor', to: 'stepped-up' }]
}

/** A passkey that is presented without a name. It identifies its account. */
function passkeyIn(from: SignInState, to: SignInState): readonly SignInTransition[] {
  const refused = (['factor-wrong', ...closed] as const).map(
    (when) => ({ from, on: 'passkey', when, to: 'refused' }) as const,
  )
  return [...refused, { from, on: 'passkey', when: 'right-factor', to }]
}

/** The answer to a challenge: a sign-in needs two categories, and a step-up the session that it was asked for. */
function answersIn(from: SignInState, to: SignInState): readonly SignInTransition[] {
  const isSignIn = to === 'signed-in'
  const ofChallenge = challengeRefusals.filter((when) => !(isSignIn && when === 'other-session'))
  const ofPair = isSignIn ? (['same-category'] as const) : []
  return (['totp', 'recovery-code', 'passkey'] as const).flatMap((on) => {
    const ofKind = on === 'passkey' ? (['factor-wrong'] as const) : codeRefusals
    const refused = [...closed, ...ofChallenge, ...ofKind, ...ofPair].map(
      (when) => ({ from, on, when, to: 'refused' }) as const,
    )
    return [...refused, { from, on, when: 'right-factor', to }]
  })
}

/** To act as another account. */
function impersonationIn(from: SignInState, to: SignInState): readonly SignInTransition[] {
  const refused = (['own-account', ...closed, 'out-of-reach'] as const).map(
    (when) => ({ from, on: 'impersonation', when, to: 'refused' }) as const,
  )
  return [...refused, { from, on: 'impersonation', when: 'within-reach', to }]
}

/** All transitions of a sign-in. The use cases allow no other, and the documentation prints this table. */
export const signInTransitions: readonly SignInTransition[] = freezeRows([
  ...passwordIn('anonymous', 'first-factor-proven'),
  ...emailCodeIn('anonymous', 'first-factor-proven'),
  ...providerIn(),
  ...passkeyIn('anonymous', 'first-factor-proven'),
  { from: 'anonymous', on: 'reset', when: 'factor-before-password', to: 'second-factor-pending' },
  { from: 'anonymous', on: 'reset', when: 'nothing-more', to: 'anonymous' },
  { from: 'first-factor-proven', on: 'requirements', when: 'device-remembered', to: 'signed-in' },
  { from: 'first-factor-proven', on: 'requirements', when: 'second-factor-required', to: 'second-factor-pending' },
  { from: 'first-factor-proven', on: 'requirements', when: 'nothing-more', to: 'signed-in' },
  ...answersIn('second-factor-pending', 'signed-in'),
  ...passwordIn('signed-in', 'stepped-up'),
  ...providerAgain('signed-in'),
  ...answersIn('signed-in', 'stepped-up'),
  { from: 'signed-in', on: 'enrollment', when: 'enrollment-overdue', to: 'restricted' },
  { from: 'signed-in', on: 'enrollment', when: 'nothing-more', to: 'signed-in' },
  ...passwordIn('restricted', 'stepped-up'),
  ...providerAgain('restricted'),
  ...impersonationIn('signed-in', 'impersonated'),
])

function freezeRows(rows: readonly SignInTransition[]): readonly SignInTransition[] {
  return Object.freeze(rows.map((row) => Object.freeze(row)))
}

/**
 * Returns the row that applies.
 *
 * @throws Error if no row applies: the table does not allow the step.
 */
export function takeStep(from: SignInState, on: SignInStep, facts: Facts): SignInTransition {
  const row = signInTransitions.find((each) => each.from === from && each.on === on && guards[each.when](facts))
  if (!row) throw new Error(`a sign-in that is ${from} has no way on at ${on}`)
  return row
}

/** Two factors of one category are not two. */
export function areTwoFactors(factors: readonly FactorProof[]): boolean {
  return new Set(factors.flatMap((proof) => categorise(proof).category.split('+'))).size > 1
}
