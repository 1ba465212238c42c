import type { Choices } from '../world/choices.ts'
import { act, endActing, lookActing, overreach } from './acting.ts'
import { disable, enable, endSessions, lock, oust, setRoles, unlock } from './administrators.ts'
import { createKey, listKeys, revokeKey, useKey } from './api-keys.ts'
import { authorize, lookAsApp, redeemCode, refreshAsApp } from './apps.ts'
import { leave, signUp, verify } from './coming-and-going.ts'
import { confirmTotp, disableTotp, regenerateCodes, resetFactors, startTotp } from './factors.ts'
import { checkLink, confirmAddress, requestAddress, requestReset, reset, undoAddress } from './mails.ts'
import { again, answerByApp } from './opening.ts'
import { drawPairs, type Round } from './pairs.ts'
import type { Person } from './person.ts'
import { type Habit, type Plan, pick, type Scene } from './plan.ts'
import { refresh, refreshSafely } from './refreshes.ts'
import { answer, confirmPassword, exhaust, stepUp } from './second-steps.ts'
import {
  changePassword,
  listSessions,
  look,
  meddle,
  revokeOne,
  revokeOthers,
  signIn,
  signInAsBefore,
  signInInstead,
  signInTrusted,
  signOut,
} from './sessions.ts'
import { guess } from './strangers.ts'

/** Few deeds of one person or of all administrators, who have all that they need before: then they happen at once, again and again. */
export interface Focus {
  readonly people: readonly Person[]
  readonly rounds: readonly Round[]
  /** How many deeds a round has. */
  readonly deeds: number
}

/** A habit, and those that come before it. Each is another function, so that it happens once more. */
type Need = readonly [Habit, readonly Habit[]]

const opened: readonly Habit[] = [signIn]
const twice: readonly Habit[] = [signIn, again(signIn)]
const guarded: readonly Habit[] = [signIn, startTotp, confirmTotp]
const challenged: readonly Habit[] = [...guarded, again(signIn), again(signIn)]
const moving: readonly Habit[] = [signIn, requestAddress]
const keyed: readonly Habit[] = [signIn, createKey]

const themes: readonly (readonly Need[])[] = [
  [
    [redeemCode, [signIn, authorize]],
    [lookAsApp, [signIn, authorize, redeemCode]],
    [refreshAsApp, [signIn, authorize, redeemCode]],
    [authorize, opened],
  ],
  [
    [refresh, twice],
    [refreshSafely, twice],
  ],
  [
    [look, twice],
    [listSessions, twice],
    [signOut, twice],
    [revokeOne, twice],
    [revokeOthers, twice],
    [endSessions, twice],
    [signIn, []],
    [signInInstead, opened],
    [meddle, opened],
  ],
  [
    [changePassword, twice],
    [signInAsBefore, [signIn, changePassword]],
    [confirmPassword, opened],
    [guess, []],
  ],
  [
    [requestReset, []],
    [reset, [signIn, requestReset]],
    [checkLink, [signIn, requestReset]],
  ],
  [
    [lock, opened],
    [unlock, [lock]],
    [disable, opened],
    [enable, [disable]],
    [setRoles, opened],
    [leave, opened],
  ],
  [
    [act, opened],
    [lookActing, [signIn, act]],
    [overreach, [signIn, act]],
    [endActing, [signIn, act]],
  ],
  [
    [createKey, opened],
    [useKey, keyed],
    [revokeKey, keyed],
    [listKeys, keyed],
  ],
  [
    [requestAddress, opened],
    [confirmAddress, moving],
    [undoAddress, [...moving, confirmAddress]],
  ],
  [
    [startTotp, opened],
    [confirmTotp, [signIn, startTotp]],
    [disableTotp, guarded],
    [regenerateCodes, guarded],
    [resetFactors, guarded],
  ],
  [
    [answer, challenged],
    [exhaust, challenged],
    [stepUp, guarded],
    [signInTrusted, [...challenged, answerByApp]],
  ],
]

const ofTwoAdministrators: readonly Need[] = [[oust, []]]

const beforeSignUp: readonly Need[] = [
  [signUp, []],
  [verify, [signUp]],
]

const needs = new Map<Habit, readonly Habit[]>([...themes.flat(), ...beforeSignUp])
const ofAdministrators: readonly Habit[] = [act, lookActing, overreach, endActing, oust]

/** How many narrow worlds in a hundred are about something that somebody holds, and changes that may revoke it. */
const paired = 50

export function drawFocus(choices: Choices, people: readonly Person[]): Focus | null {
  const deeds = 2 + choices.below(3)
  const pairs = choices.chance(paired) ? drawPairs(choices, people) : null
  return pairs ? { people: [pairs.person], rounds: pairs.rounds, deeds } : drawThemes(choices, people, deeds)
}

/** One to four habits of one theme, or of two that meet. */
function drawThemes(choices: Choices, people: readonly Person[], deeds: number): Focus | null {
  const { below, chance } = choices
  const first = pick({ choices }, chance(30) ? people : people.slice(0, 1))
  const administrators = people.filter(({ isAdministrator }) => isAdministrator)
  const possible = administrators.length > 1 ? [...themes, ofTwoAdministrators] : themes
  const habits = drawHabits(choices, first?.id === null ? [beforeSignUp] : possible)
  const isOfAdministrators = habits.some((habit) => ofAdministrators.includes(habit))
  const actors = isOfAdministrators ? administrators : people.filter((person) => person === first)
  const before = [...new Set(habits.flatMap((each) => needs.get(each) ?? []))]
  const round: Round = { before, first: null, others: habits, after: [] }
  return actors.length > 0 ? { people: actors, rounds: Array.from({ length: 3 + below(3) }, () => round), deeds } : null
}

function drawHabits({ below, chance }: Choices, possible: readonly (readonly Need[])[]): readonly Habit[] {
  const draw = <Item>(items: readonly Item[]): readonly Item[] => items.slice(below(items.length)).slice(0, 1)
  const drawn = [...draw(possible), ...(chance(50) ? draw(possible) : [])]
  const habits = drawn.flatMap((theme) => [...draw(theme), ...(chance(50) ? draw(theme) : [])])
  return [...new Set(habits.map(([habit]) => habit))]
}

/** What has to be there before a round, or comes after it, without mistakes. */
export function* prepare(
  scene: Scene,
  people: readonly Person[],
  habits: readonly Habit[],
): Generator<readonly [Person, Plan], undefined> {
  const careful = { ...scene, choices: { ...scene.choices, chance: carefulOf(scene.choices) } }
  for (const habit of habits) {
    for (const person of people) {
      const plan = habit(careful, person)
      if (plan) yield [person, plan]
    }
  }
}

/** Nothing seldom happens: a mistake is seldom. */
const carefulOf =
  ({ chance }: Choices): Choices['chance'] =>
  (percent) =>
    percent >= 50 && chance(percent)

/** One of the deeds of a round. */
export function planOne(
  scene: Scene,
  people: readonly Person[],
  { first, others }: Round,
): readonly [Person, Plan] | null {
  for (let attempt = 0; attempt < 10; attempt++) {
    const person = pick(scene, people)
    const habit = first !== null && scene.choices.chance(40) ? first : pick(scene, others)
    const plan = person && (habit ?? look)(scene, person)
    if (plan) return [person, plan]
  }
  return null
}
