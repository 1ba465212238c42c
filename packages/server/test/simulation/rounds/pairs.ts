import { act, endActing, lookActing, overreach } from '../people/acting.ts'
import { disable, enable, endSessions, lock, setRoles, unlock } from '../people/administrators.ts'
import { createKey, revokeKey, useKey } from '../people/api-keys.ts'
import { authorize, lookAsApp, redeemCode, refreshAsApp, revokeAsApp, withdraw } from '../people/apps.ts'
import { leave } from '../people/coming-and-going.ts'
import { confirmTotp, disableTotp, regenerateCodes, resetFactors } from '../people/factors.ts'
import { checkLink, confirmAddress, requestAddress, requestReset, reset, undoAddress } from '../people/mails.ts'
import type { Person } from '../people/person.ts'
import { type Habit, pick } from '../people/plan.ts'
import { refresh, refreshSafely } from '../people/refreshes.ts'
import { answer, confirmPassword, stepUp } from '../people/second-steps.ts'
import {
  changePassword,
  listSessions,
  look,
  meddle,
  revokeOne,
  revokeOthers,
  signInInstead,
  signInTrusted,
  signOut,
} from '../people/sessions.ts'
import type { Choices } from '../world/choices.ts'
import { again, answerByApp, openFamily, openSession, startFirstTotp } from './opening.ts'

/** What somebody holds: how it comes about, and how it is presented. */
interface Holding {
  readonly comesBy: readonly Habit[]
  readonly uses: readonly Habit[]
  /** What revokes it in particular, and happens in half of its rounds. */
  readonly endsBy: readonly Habit[]
  /** Whether only administrators have it. */
  readonly isOfAdministrators?: true
}

/** A change that may revoke what somebody holds. */
interface Change {
  readonly habit: Habit
  readonly needs: readonly Habit[]
  /** Takes it back, so that what it has revoked can be presented to an account that is open again. */
  readonly undo?: Habit
  readonly isOfAdministrators?: true
}

/** Deeds of one round: what has to be there before, what happens at once, and what comes after. */
export interface Round {
  readonly before: readonly Habit[]
  /** The change; null: each deed is one of the others. */
  readonly first: Habit | null
  readonly others: readonly Habit[]
  readonly after: readonly Habit[]
}

const session: readonly Habit[] = [openSession, answerByApp]
const family: readonly Habit[] = [openFamily, answerByApp]
const guarded: readonly Habit[] = [...session, startFirstTotp, confirmTotp]
const app: readonly Habit[] = [...session, authorize]

/** Each as often as the others. */
const holdings: readonly Holding[] = [
  { comesBy: session, uses: [look, listSessions], endsBy: [signOut, revokeOne, revokeOthers] },
  {
    comesBy: session,
    uses: [confirmPassword, signInInstead, changePassword],
    endsBy: [signOut, revokeOne, endSessions],
  },
  { comesBy: family, uses: [refresh, refreshSafely, look, confirmPassword], endsBy: [signOut, revokeOne, refresh] },
  {
    comesBy: [...app, redeemCode],
    uses: [lookAsApp, refreshAsApp],
    endsBy: [withdraw, revokeAsApp, redeemCode, signOut],
  },
  {
    comesBy: [...app, redeemCode, confirmPassword, again(confirmPassword)],
    uses: [lookAsApp, authorize],
    endsBy: [signOut, revokeOne],
  },
  { comesBy: app, uses: [redeemCode, authorize], endsBy: [withdraw, changePassword, signOut, revokeOne] },
  { comesBy: [...session, createKey], uses: [useKey, createKey], endsBy: [revokeKey, reset, changePassword] },
  {
    comesBy: [...session, act],
    uses: [lookActing, overreach, act],
    endsBy: [signOut, revokeOne, signInInstead, endActing],
    isOfAdministrators: true,
  },
  {
    comesBy: [...guarded, again(openSession), again(answerByApp)],
    uses: [signInTrusted],
    endsBy: [confirmTotp, disableTotp, resetFactors],
  },
  {
    comesBy: [...guarded, again(openSession)],
    uses: [answer, stepUp],
    endsBy: [disableTotp, regenerateCodes, resetFactors],
  },
  { comesBy: [...session, requestReset], uses: [reset, checkLink], endsBy: [changePassword, reset, confirmAddress] },
  {
    comesBy: [...session, requestAddress],
    uses: [confirmAddress, undoAddress],
    endsBy: [revokeOne, confirmAddress, undoAddress],
  },
]

/** Each as often as the others. */
const changes: readonly Change[] = [
  { habit: signOut, needs: session },
  { habit: revokeOne, needs: session },
  { habit: revokeOthers, needs: session },
  { habit: endSessions, needs: session },
  { habit: refresh, needs: family },
  { habit: redeemCode, needs: app },
  { habit: meddle, needs: session },
  { habit: confirmPassword, needs: session },
  { habit: signInInstead, needs: session },
  { habit: changePassword, needs: session },
  { habit: reset, needs: [...session, requestReset] },
  { habit: confirmAddress, needs: [...session, requestAddress] },
  { habit: undoAddress, needs: [...session, requestAddress, confirmAddress] },
  { habit: confirmTotp, needs: [...session, startFirstTotp] },
  { habit: disableTotp, needs: guarded },
  { habit: regenerateCodes, needs: guarded },
  { habit: resetFactors, needs: guarded },
  { habit: withdraw, needs: app, undo: authorize },
  { habit: revokeAsApp, needs: [...app, redeemCode] },
  { habit: revokeKey, needs: [...session, createKey] },
  { habit: endActing, needs: [...session, act], isOfAdministrators: true },
  { habit: setRoles, needs: session },
  { habit: lock, needs: session, undo: unlock },
  { habit: disable, needs: session, undo: enable },
  { habit: leave, needs: session },
]

/** Draws what somebody holds, and for each round a change that meets it. */
export function drawPairs(choices: Choices, people: readonly Person[]): PairedRounds | null {
  const administrators = people.filter(({ isAdministrator }) => isAdministrator)
  const isOfAdministrators = administrators.length > 0 && choices.chance(40)
  const person = pick({ choices }, isOfAdministrators ? administrators : people)
  if (!person || person.id === null) return null
  const mayHave = (one: Holding | Change): boolean => !one.isOfAdministrators || person.isAdministrator
  const holding = pick({ choices }, holdings.filter(mayHave))
  const beside = pick({ choices }, holdings.filter(mayHave))?.comesBy ?? []
  const possible = changes.filter(mayHave)
  const rounds = Array.from({ length: 2 + choices.below(2) }, (_round, index): Round | null => {
    const ending = choices.chance(50) ? pick({ choices }, holding?.endsBy ?? []) : null
    const change = changes.find(({ habit }) => habit === ending) ?? pick({ choices }, possible)
    if (!holding || !change) return null
    const round = meet(holding, change)
    return index > 0 ? round : { ...round, before: [...new Set([...beside, ...round.before])] }
  })
  return { person, rounds: rounds.filter((round) => round !== null) }
}

export interface PairedRounds {
  readonly person: Person
  readonly rounds: readonly Round[]
}

const meet = ({ comesBy, uses }: Holding, { habit, needs, undo }: Change): Round => ({
  before: [...new Set([...comesBy, ...needs])],
  first: habit,
  others: [...uses, ...uses, habit],
  after: undo ? [undo] : [],
})
