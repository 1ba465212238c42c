import type { Core } from './core.ts'
import {
  allAnswered,
  answersOf,
  keep,
  keptOf,
  letsIn,
  openAccount,
  refresh,
  sentences,
  signIn,
  signInForTokens,
  winnersOf,
} from './visits.ts'

/** Three callers present one refresh token, within the grace. */
export const repeatedWithinGrace: Core<string> = {
  prepare: async (process) => {
    await openAccount(process)
    return keep(await signInForTokens(process))
  },
  callers: { A: refresh, B: refresh, C: refresh },
  async judge({ given: token, endings, process }) {
    const answers = Object.values(answersOf(endings))
    const [successor = null, ...others] = new Set(answers.map(keptOf))
    const refused = sentences(
      [winnersOf(endings).length < answers.length, 'a caller is refused within the grace'],
      [others.length > 0, 'a token has two successors'],
    )
    // Without an answer, a device repeats its request.
    const next = await refresh(process, successor ?? token)
    const isCopyAccepted = next.ok && successor !== null && (await letsIn(process, token))
    return [
      ...refused,
      ...sentences(
        [!next.ok, 'the device is signed out'],
        [isCopyAccepted, 'a token is accepted after its successor was used'],
        [
          isCopyAccepted === false && successor !== null && (await letsIn(process, keptOf(next) ?? '')),
          'a copy ends nothing',
        ],
      ),
    ]
  },
}

/** Three callers present one refresh token of a service without a grace. */
export const repeatedWithoutGrace: Core<string> = {
  ...repeatedWithinGrace,
  options: { graceSeconds: 0 },
  async judge({ given: token, endings, process }) {
    const winners = winnersOf(endings)
    const refused = Object.keys(answersOf(endings)).length - winners.length
    const successor = keptOf(endings[winners[0] ?? '']?.answer)
    const goesOn = successor !== null && (await letsIn(process, successor))
    return sentences(
      [winners.length > 1, 'a token has two winners'],
      [allAnswered(endings) && winners.length === 0, 'a token has no winner'],
      [refused > 0 && goesOn, 'a copy was refused, and its family goes on'],
      [refused > 0 && (await letsIn(process, token)), 'a copy was refused, and is accepted later'],
      [!(await signIn(process)).ok, 'the owner cannot sign in'],
    )
  },
}

/** A device uses its token, and two thieves the one before it, after the grace. */
export const reusedAfterGrace: Core<{ readonly first: string; readonly second: string }> = {
  async prepare(process, clock) {
    await openAccount(process)
    const first = keep(await signInForTokens(process))
    const second = keep(await refresh(process, first))
    clock.advance(60)
    return { first, second }
  },
  callers: {
    owner: (process, { second }) => refresh(process, second),
    thief: (process, { first }) => refresh(process, first),
    'other thief': (process, { first }) => refresh(process, first),
  },
  async judge({ given, endings, process }) {
    const winners = winnersOf(endings)
    const isReported = Object.keys(answersOf(endings)).some((name) => name !== 'owner')
    const third = keptOf(endings.owner?.answer)
    const goesOn = (third !== null && (await letsIn(process, third))) || (await letsIn(process, given.second))
    return sentences(
      [winners.some((name) => name !== 'owner'), 'a thief is let in'],
      [isReported && goesOn, 'a thief was refused, and the family goes on'],
      [await letsIn(process, given.first), 'the old token is accepted later'],
      [!(await signIn(process)).ok, 'the owner cannot sign in'],
    )
  },
}
