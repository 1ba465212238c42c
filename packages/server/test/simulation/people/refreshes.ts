import type { Held, Person } from './person.ts'
import { attemptOf, type Habit, type Plan, pickHeld, renewAccess } from './plan.ts'

export const refresh: Habit = (scene, person) => {
  const held = pickHeld(scene, person, 'family')
  if (!held) return null
  const isOld = held.refreshTokens.length > 1 && scene.choices.chance(40)
  const token = held.refreshTokens.at(isOld ? -2 : -1)
  return refreshWith(person, held, token)
}

/** Names the attempt, and until there is an answer repeats it under the same name. */
export const refreshSafely: Habit = (scene, person) => {
  const held = pickHeld(scene, person, 'family')
  const token = held?.refreshTokens.at(-1)
  if (!held || token === undefined) return null
  if (held.retry?.token !== token) held.retry = { token, key: `${person.name} tries ${held.refreshTokens.length}` }
  return refreshWith(person, held, token, held.retry.key)
}

export function refreshWith(person: Person, held: Held, token: string | undefined, key?: string): Plan | null {
  if (token === undefined) return null
  const { credential } = held
  return {
    what: held.refreshTokens.at(-1) === token ? 'refresh' : 'refresh with an old token',
    claims: {
      ...{ presents: credential, redeems: token, revokesIfRefused: credential },
      ...(key !== undefined && { attempt: key }),
    },
    async ask({ accounts }) {
      const result = await accounts.refresh({
        ...{ token, channel: 'native', idempotencyKey: key ?? null, attempt: attemptOf(person) },
      })
      if (!result.ok) return 'credentials'
      const { refreshToken, accessToken } = result.credentials
      if (!held.refreshTokens.includes(refreshToken)) held.refreshTokens.push(refreshToken)
      renewAccess(held, accessToken)
      return { refreshToken }
    },
  }
}
