import type { Choices } from '../world/choices.ts'
import { endSessions, lock, setRoles, unlock } from './administrators.ts'
import { requestReset, reset } from './mails.ts'
import type { Person } from './person.ts'
import { type Habit, type Plan, pick, type Scene } from './plan.ts'
import {
  changePassword,
  look,
  lookWith,
  refresh,
  refreshWith,
  revokeOne,
  revokeOthers,
  signIn,
  signInAsBefore,
  signInWith,
  signOut,
} from './sessions.ts'
import { guess } from './strangers.ts'

/** How often each habit is chosen, relative to the others. */
export const habits: readonly (readonly [Habit, number])[] = [
  [look, 30],
  [signIn, 20],
  [refresh, 20],
  [signOut, 3],
  [signInAsBefore, 6],
  [revokeOne, 4],
  [revokeOthers, 5],
  [changePassword, 10],
  [requestReset, 5],
  [reset, 10],
  [lock, 1],
  [unlock, 3],
  [setRoles, 2],
  [endSessions, 1],
  [guess, 8],
]

type Weighted = readonly (readonly [Habit, number])[]

/** Habits of one world: some are much more frequent than in others, some are absent, so that the rest meet more often. */
export function drawHabits({ below }: Choices): Weighted {
  const factors = [1, 1, 0, 8] as const
  return habits.map(([habit, weight]) => [habit, weight * (habit === signIn ? 1 : (factors[below(4)] ?? 1))])
}

/** Draws somebody and what they do now. */
export function planNext(scene: Scene, weighted: Weighted): readonly [Person, Plan] | null {
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0)
  for (let attempt = 0; attempt < 20; attempt++) {
    const person = pick(scene, scene.people)
    const habit = drawHabit(weighted, scene.choices.below(total))
    const plan = person && habit(scene, person)
    if (plan) return [person, plan]
  }
  return null
}

function drawHabit(weighted: Weighted, drawn: number): Habit {
  let left = drawn
  for (const [habit, weight] of weighted) {
    if (left < weight) return habit
    left -= weight
  }
  return look
}

/** What shows the state of an account: each credential is presented once more, and the password. */
export function finalPlans(person: Person): readonly Plan[] {
  return [
    ...person.credentials.map((held) => lookWith(held)),
    ...person.credentials.flatMap((held) => refreshWith(person, held, held.refreshTokens.at(-1)) ?? []),
    signInWith(person, person.passwords.at(-1) ?? ''),
  ]
}
