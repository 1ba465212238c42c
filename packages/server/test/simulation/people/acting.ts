import type { Claims, Credential } from '../deeds/deed.ts'
import type { Service } from '../service/service.ts'
import type { Held } from './person.ts'
import { attemptOf, type Habit, type Plan, pick, pickHeld } from './plan.ts'
import { identify } from './sessions.ts'

/** An administrator acts as somebody else for a while. */
export const act: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  const owner = pick(
    scene,
    scene.people.filter(({ id }) => id !== null && id !== person.id),
  )
  if (!person.isAdministrator || !held || !owner?.id) return null
  const { id: accountId, account } = owner
  return {
    what: `act as ${account}`,
    claims: { presents: held.credential },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const asked = { identity, accountId, reason: 'a question', attempt: attemptOf(person) }
      const started = await service.accounts.startImpersonation(asked)
      if (!started) return 'missing'
      const { credentials, identity: acting } = started
      const isSession = credentials.delivery === 'session'
      const credential: Credential = {
        ...{ key: acting.key, kind: 'acting', account, standsOn: held.credential },
        secret: isSession ? credentials.credential : credentials.accessToken,
      }
      person.acting.push({ credential, refreshTokens: [], accessToken: isSession ? null : credentials.accessToken })
      return { credential }
    },
  }
}

async function identifyActing({ accounts, tokens }: Service, { credential, accessToken }: Held) {
  if (accessToken === null) return (await accounts.identifyCredential(credential.secret))?.facts ?? null
  const verdict = await tokens.verify(accessToken)
  const facts = verdict.ok ? await accounts.identifyToken(verdict.claims) : null
  return facts?.kind === 'account' ? facts : null
}

export const lookActing: Habit = (scene, person) => {
  const held = pick(scene, person.acting)
  return held ? lookActingWith(held) : null
}

export function lookActingWith(held: Held): Plan {
  return {
    what: 'look as somebody else',
    claims: { presents: held.credential },
    ask: async (service) => ((await identifyActing(service, held)) ? {} : 'credential'),
  }
}

/** Tries what is for the owner alone. */
export const overreach: Habit = (scene, person) => {
  const held = pick(scene, person.acting)
  const kind = scene.choices.below(3)
  if (!held) return null
  return {
    what: 'overreach as somebody else',
    claims: { presents: held.credential, isForbidden: true },
    async ask(service) {
      const identity = await identifyActing(service, held)
      if (!identity) return 'credential'
      const asked = { identity, attempt: attemptOf(person) }
      if (kind === 0) await service.accounts.revokeAllSessions(asked)
      if (kind === 1) await service.accounts.startTotpEnrollment(asked)
      if (kind === 2) await service.accounts.deleteAccount(asked)
      return {}
    },
  }
}

/** Ends it. With a cookie the administrator is signed out as well. */
/** The own session ends, if nothing has replaced it. */
const endsBeside = (standsOn: Credential): Claims => ({
  alsoRevokes: standsOn,
  ...(standsOn.lineage !== undefined && { mayEndLineage: standsOn.lineage }),
})

export const endActing: Habit = (scene, person) => {
  const held = pick(scene, person.acting)
  if (!held) return null
  const { credential, accessToken } = held
  return {
    what: 'act no more',
    claims: {
      ...{ presents: credential, revokes: credential },
      ...(accessToken === null && credential.standsOn && endsBeside(credential.standsOn)),
    },
    async ask(service) {
      const identity = await identifyActing(service, held)
      if (!identity) return 'credential'
      const isEnded = await service.accounts.endImpersonation({ identity, attempt: attemptOf(person) })
      return isEnded ? {} : { isUnsure: true }
    },
  }
}
