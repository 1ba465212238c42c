import type { FactorProof } from '@latchkey/store'
import { isClosed, type StoredAccount } from '../store/account-store.ts'
import { categorise } from './factor-category.ts'

/**
 * Where a sign-in stands. `refused` ends the attempt and changes nothing: who was signed in stays signed in. `stepped-up`
 * is signed in with a first factor that was shown again, under a new credential.
 */
export type SignInState =
  | 'anonymous'
  | 'first-factor-proven'
  | 'second-factor-pending'
  | 'signed-in'
  | 'stepped-up'
  | 'refused'

/** What takes it further: a password that is shown, and the question which factors the account requires. */
export type SignInStep = 'password' | 'requirements'

const refusals = ['unknown-account', 'no-password', 'wrong-password', 'unverified', 'disabled', 'locked'] as const

/** A condition of a row. Those that lead to `refused` are the reasons in the event. */
export type SignInGuard = (typeof refusals)[number] | 'right-password' | 'second-factor-required' | 'nothing-more'

interface Facts {
  readonly account: StoredAccount | null
  readonly isPasswordRight: boolean
  /** What was proven so far. */
  readonly factors: readonly FactorProof[]
  /** The kinds of second factors that the account has enrolled. */
  readonly enrolled: readonly string[]
}

/** The conditions of the table, by the names under which the documentation and the events have them. */
const guards: Readonly<Record<SignInGuard, (facts: Facts) => boolean>> = {
  'unknown-account': ({ account }) => account === null,
  'no-password': ({ account }) => account?.passwordHash === null,
  'wrong-password': ({ isPasswordRight }) => !isPasswordRight,
  unverified: ({ account }) => account?.status === 'unverified',
  disabled: ({ account }) => account?.status === 'disabled',
  locked: ({ account }) => account?.status === 'locked',
  'right-password': ({ account, isPasswordRight }) => isPasswordRight && account?.status === 'active',
  'second-factor-required': ({ enrolled, factors }) => enrolled.length > 0 && !areTwoFactors(factors),
  'nothing-more': ({ account }) => account !== null && !isClosed(account),
}

/** One row: in this state, at this step, the first row whose guard holds says what follows. */
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

/**
 * Every way through a sign-in. The use cases take no other one, and the documentation prints this table.
 *
 * No way leads out of `second-factor-pending` as long as no second factor can be shown: an account that has one enrolled
 * is not signed in with a password alone.
 */
export const signInTransitions: readonly SignInTransition[] = freezeRows([
  ...passwordIn('anonymous', 'first-factor-proven'),
  { from: 'first-factor-proven', on: 'requirements', when: 'second-factor-required', to: 'second-factor-pending' },
  { from: 'first-factor-proven', on: 'requirements', when: 'nothing-more', to: 'signed-in' },
  ...passwordIn('signed-in', 'stepped-up'),
])

function freezeRows(rows: readonly SignInTransition[]): readonly SignInTransition[] {
  return Object.freeze(rows.map((row) => Object.freeze(row)))
}

/**
 * Returns the row that applies.
 *
 * @throws Error where none does: what the table does not know leads nowhere.
 */
export function takeStep(from: SignInState, on: SignInStep, facts: Facts): SignInTransition {
  const row = signInTransitions.find((each) => each.from === from && each.on === on && guards[each.when](facts))
  if (!row) throw new Error(`a sign-in that is ${from} has no way on at ${on}`)
  return row
}

/** Two factors of one category are not two. */
function areTwoFactors(factors: readonly FactorProof[]): boolean {
  return new Set(factors.flatMap((proof) => categorise(proof).category.split('+'))).size > 1
}
