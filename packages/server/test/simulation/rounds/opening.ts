import type { Credential } from '../deeds/deed.ts'
import { freshCode } from '../people/codes.ts'
import { startTotp } from '../people/factors.ts'
import { answerByPasskeyWith } from '../people/passkeys.ts'
import type { Challenge } from '../people/person.ts'
import type { Habit } from '../people/plan.ts'
import { answerWith } from '../people/second-steps.ts'
import { signInWith } from '../people/sessions.ts'

/** Returns the habit as another function, so that it happens once more where each happens once. */
export const again =
  (habit: Habit): Habit =>
  (scene, person) =>
    habit(scene, person)

const signInAs =
  (kind: 'session' | 'native'): Habit =>
  (_scene, person) =>
    signInWith(person, person.passwords.at(-1) ?? '', kind)

/** Returns the habit for whoever is not sure that so many of the latest credentials are open. */
const unlessOpen =
  (habit: Habit, count: number, kind?: Credential['kind']): Habit =>
  (scene, person) => {
    const latest = person.credentials.slice(-count)
    const isSure = latest.every(({ isOpen, credential }) => isOpen && (kind ?? credential.kind) === credential.kind)
    return latest.length === count && isSure ? null : habit(scene, person)
  }

/** Signs in without a mistake. */
export const signInAnew = signInAs('session')
export const openSession = unlessOpen(signInAnew, 1, 'session')
export const openFamily = unlessOpen(signInAs('native'), 1, 'family')

/** Opens a session, or now and then a family of refresh tokens. */
const openAny: Habit = (scene, person) => signInAs(scene.choices.below(10) < 3 ? 'native' : 'session')(scene, person)
export const open = unlessOpen(openAny, 1)
export const openTwo = unlessOpen(openAny, 2)

const answered = new WeakSet<Challenge>()

/** Answers with the app, or else the passkey, if the last sign-in has asked for it. */
export const answerByApp: Habit = (scene, person) => {
  const challenge = person.challenges.at(-1)
  const { perhaps } = person.passkeys
  if (!challenge || (person.totp === null && perhaps === null) || answered.has(challenge)) return null
  answered.add(challenge)
  if (person.totp !== null) return answerWith(person, challenge, freshCode(scene, person, person.totp))
  return perhaps && answerByPasskeyWith(person, challenge, perhaps)
}

/** Starts with an app unless the account has one. */
export const startFirstTotp: Habit = (scene, person) => (person.totp === null ? startTotp(scene, person) : null)
