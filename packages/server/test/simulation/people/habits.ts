import type { Choices } from '../world/choices.ts'
import { act, endActing, lookActing, overreach } from './acting.ts'
import { disable, enable, endSessions, lock, oust, setRoles, unlock } from './administrators.ts'
import { createKey, listKeys, revokeKey, useKey } from './api-keys.ts'
import { authorize, lookAsApp, redeemCode, refreshAsApp } from './apps.ts'
import { leave, signUp, verify } from './coming-and-going.ts'
import { confirmTotp, disableTotp, regenerateCodes, resetFactors, startTotp } from './factors.ts'
import { checkLink, confirmAddress, requestAddress, requestReset, reset, undoAddress } from './mails.ts'
import type { Person } from './person.ts'
import { type Habit, type Plan, pick, type Scene } from './plan.ts'
import { refresh, refreshSafely } from './refreshes.ts'
import { answer, confirmPassword, exhaust, stepUp } from './second-steps.ts'
import {
  changePassword,
  listSessions,
  look,
  lookWith,
  meddle,
  revokeOne,
  revokeOthers,
  signIn,
  signInAsBefore,
  signInInstead,
  signInTrusted,
  signInWith,
  signOut,
} from './sessions.ts'
import { guess, signUpAs } from './strangers.ts'
import { hangUp, listen, publish } from './streams.ts'

/** Habits, and how often each is chosen, relative to the others. */
export type Habits = readonly (readonly [Habit, number])[]

const daily: Habits = [
  [look, 15],
  [signIn, 10],
]

/** What people are busy with in some seeds, and not in others: so each gets seeds in which it happens often. */
const topics: readonly Habits[] = [
  [
    [authorize, 25],
    [redeemCode, 100],
    [lookAsApp, 60],
    [refreshAsApp, 40],
  ],
  [
    [refresh, 20],
    [refreshSafely, 20],
    [listSessions, 10],
    [signOut, 3],
    [revokeOne, 4],
    [revokeOthers, 5],
    [signInInstead, 8],
    [meddle, 3],
  ],
  [
    [changePassword, 12],
    [signInAsBefore, 6],
    [requestReset, 6],
    [reset, 12],
    [checkLink, 4],
    [confirmPassword, 10],
    [guess, 8],
    [signUpAs, 2],
  ],
  [
    [lock, 2],
    [unlock, 5],
    [setRoles, 3],
    [disable, 2],
    [enable, 5],
    [endSessions, 2],
    [leave, 3],
    [oust, 8],
  ],
  [
    [signIn, 10],
    [act, 60],
    [lookActing, 60],
    [overreach, 20],
    [endActing, 30],
    [setRoles, 3],
    [changePassword, 6],
    [confirmPassword, 4],
  ],
  [
    [createKey, 20],
    [useKey, 40],
    [revokeKey, 6],
    [listKeys, 10],
    [meddle, 3],
    [changePassword, 4],
    [revokeOthers, 4],
  ],
  [
    [requestAddress, 25],
    [confirmAddress, 150],
    [undoAddress, 50],
    [reset, 20],
    [revokeOthers, 2],
  ],
  [
    [startTotp, 50],
    [confirmTotp, 150],
    [answer, 100],
    [signInTrusted, 20],
    [exhaust, 8],
    [stepUp, 20],
    [regenerateCodes, 14],
    [disableTotp, 8],
    [resetFactors, 3],
  ],
]

const ofStreams: Habits = [
  [signIn, 60],
  [listen, 200],
  [publish, 200],
  [hangUp, 30],
  [signOut, 25],
  [revokeOthers, 25],
]

/** Habits of one world: some are much more frequent than in others, some topics are absent, so that the rest meet more often. */
export function drawHabits({ below, chance }: Choices, hasStreams: boolean): Habits {
  const factors = [1, 1, 1, 6] as const
  const first = topics[below(topics.length)] ?? []
  const busy = topics.filter((topic) => topic === first || chance(15))
  return [
    ...daily,
    ...(hasStreams ? ofStreams : []),
    ...busy.flat().map(([habit, weight]) => [habit, weight * (factors[below(4)] ?? 1)] as const),
  ]
}

const beforeSignUp: Habits = [
  [signUp, 10],
  [verify, 30],
  [signIn, 5],
]

/** Draws somebody and what they do now. */
export function planNext(scene: Scene, habits: Habits): readonly [Person, Plan] | null {
  const person = pick(scene, scene.people)
  if (!person) return null
  const own = person.id === null ? beforeSignUp : habits
  for (let attempt = 0; attempt < 30; attempt++) {
    const plan = drawHabit(scene, own)(scene, person)
    if (plan) return [person, plan]
  }
  const held = pick(scene, person.credentials)
  return [person, held ? lookWith(held) : signInWith(person, person.passwords.at(-1) ?? '')]
}

function drawHabit({ choices }: Scene, habits: Habits): Habit {
  let left = choices.below(habits.reduce((sum, [, weight]) => sum + weight, 0))
  for (const [habit, weight] of habits) {
    if (left < weight) return habit
    left -= weight
  }
  return look
}
