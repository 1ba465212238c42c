import { endSessions, lock, setRoles, unlock } from './administrators.ts'
import { requestReset, reset } from './mails.ts'
import type { Person } from './person.ts'
import { type Habit, type Plan, pick, type Scene } from './plan.ts'
import {
  changePassword,
  look,
  lookWith,
  refresh,
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

const total = habits.reduce((sum, [, weight]) => sum + weight, 0)

/** Draws somebody and what they do now. */
export function planNext(scene: Scene): readonly [Person, Plan] | null {
  for (let attempt = 0; attempt < 20; attempt++) {
    const person = pick(scene, scene.people)
    const habit = drawHabit(scene.choices.below(total))
    const plan = person && habit(scene, person)
    if (plan) return [person, plan]
  }
  return null
}

function drawHabit(drawn: number): Habit {
  let left = drawn
  for (const [habit, weight] of habits) {
    if (left < weight) return habit
    left -= weight
  }
  return look
}

/** What shows the state of an account: each credential is presented once more, and the password. */
export function finalPlans(person: Person): readonly Plan[] {
  return [...person.credentials.map((held) => lookWith(held)), signInWith(person, person.passwords.at(-1) ?? '')]
}
