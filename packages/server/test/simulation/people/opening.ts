import { freshCode } from './codes.ts'
import { startTotp } from './factors.ts'
import type { Challenge } from './person.ts'
import type { Habit } from './plan.ts'
import { answerWith } from './second-steps.ts'
import { signInWith } from './sessions.ts'

/** Returns the habit as another function, so that it happens once more where each happens once. */
export const again =
  (habit: Habit): Habit =>
  (scene, person) =>
    habit(scene, person)

/** Signs in without a mistake. */
export const openSession: Habit = (_scene, person) => signInWith(person, person.passwords.at(-1) ?? '')

export const openFamily: Habit = (_scene, person) => signInWith(person, person.passwords.at(-1) ?? '', 'native')

const answered = new WeakSet<Challenge>()

/** Answers with the app if the last sign-in has asked for it. */
export const answerByApp: Habit = (scene, person) => {
  const challenge = person.challenges.at(-1)
  if (!challenge || person.totp === null || answered.has(challenge)) return null
  answered.add(challenge)
  return answerWith(person, challenge, freshCode(scene, person, person.totp))
}

/** Starts with an app unless the account has one. */
export const startFirstTotp: Habit = (scene, person) => (person.totp === null ? startTotp(scene, person) : null)
