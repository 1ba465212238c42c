import type { Credential } from '../deeds/deed.ts'
import type { AppCode, Held, Person } from './person.ts'
import { type Habit, type Plan, pick, pickHeld, renewAccess } from './plan.ts'
import { identify } from './sessions.ts'

/** Lets the application in, for longer than the session or as long as it lasts: it gets a code. */
export const authorize: Habit = (scene, person) => {
  const held = pickHeld(scene, person, 'session')
  if (!held) return null
  const { lineage } = held.credential
  // A whole server does not know this authorization server, and so does not end its access with a session.
  const isBrief = lineage !== undefined && scene.board === null && scene.choices.chance(50)
  return {
    what: isBrief ? 'let an application in for this session' : 'let an application in',
    claims: { presents: held.credential },
    async ask({ apps }) {
      const text = await apps.authorize(held.credential.secret, { isBrief })
      if (text === null) return 'credential'
      person.codes.push({ text, ...(isBrief && { lineage }) })
      return { appCode: text }
    },
  }
}

/** The application redeems its newest code, or somebody a copy of an older one. */
export const redeemCode: Habit = (scene, person) => {
  const isCopy = scene.choices.chance(40)
  const code = isCopy ? pick(scene, person.codes) : person.codes.at(-1)
  return code === undefined ? null : redeemWith(person, code)
}

/** Somebody presents a copy of the newest code. */
export const redeemCopy: Habit = (_scene, person) => {
  const code = person.codes.at(-1)
  return code === undefined ? null : redeemWith(person, code)
}

export function redeemWith(person: Person, { text: code, lineage }: AppCode): Plan {
  return {
    what: 'redeem a code',
    claims: { code },
    async ask({ apps }) {
      const tokens = await apps.redeem(code)
      if (!tokens) return 'code'
      const { sid } = JSON.parse(Buffer.from(tokens.accessToken.split('.')[1] ?? '', 'base64url').toString())
      const { accessToken, refreshToken } = tokens
      const secret = refreshToken ?? accessToken
      const own = { ...(lineage !== undefined && { lineage }) }
      const credential: Credential = { key: sid, kind: 'app', account: person.account, secret, ...own }
      person.apps.push({ credential, refreshTokens: refreshToken === null ? [] : [refreshToken], accessToken })
      return { credential }
    },
  }
}

/** Takes back what the application was given. */
export const withdraw: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  return {
    what: 'withdraw the consent',
    claims: { presents: held.credential, withdraws: true },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      return (await service.apps.withdraw(identity.subject)) ? {} : { isVain: true }
    },
  }
}

/** The application gives back its newest refresh token, and with it all that belongs to it. */
export const revokeAsApp: Habit = (scene, person) => {
  const held = pick(scene, person.apps)
  const token = held?.refreshTokens.at(-1)
  if (!held || token === undefined) return null
  return {
    what: 'revoke as the application',
    claims: { revokes: held.credential },
    async ask({ apps }) {
      await apps.revoke(token)
      // Of a token that was replaced meanwhile the answer does not tell.
      return held.refreshTokens.at(-1) === token ? {} : { isUnsure: true }
    },
  }
}

/** The application gets new tokens, or somebody uses a copy of an older one. */
export const refreshAsApp: Habit = (scene, person) => {
  const held = pick(scene, person.apps)
  if (!held) return null
  const isOld = held.refreshTokens.length > 1 && scene.choices.chance(30)
  return refreshAsAppWith(held, held.refreshTokens.at(isOld ? -2 : -1))
}

export function refreshAsAppWith(held: Held, token: string | undefined): Plan | null {
  if (token === undefined) return null
  const { credential, refreshTokens } = held
  return {
    what:
      refreshTokens.at(-1) !== token ? 'refresh with an old token as the application' : 'refresh as the application',
    claims: { presents: credential, redeems: token, revokesIfRefused: credential },
    async ask({ apps }) {
      const tokens = await apps.refresh(token)
      if (!tokens) return 'credentials'
      const { accessToken, refreshToken } = tokens
      if (refreshToken === null) throw new Error('the answer to a refresh has no refresh token')
      if (!refreshTokens.includes(refreshToken)) refreshTokens.push(refreshToken)
      renewAccess(held, accessToken)
      return { refreshToken }
    },
  }
}

export const lookAsApp: Habit = (scene, person) => {
  const held = pick(scene, person.apps)
  return held ? lookAsAppWith(held) : null
}

export function lookAsAppWith({ credential, accessToken }: Held): Plan {
  return {
    what: 'look as the application',
    claims: { presents: credential },
    async ask({ apps }) {
      return (await apps.identify(accessToken ?? '')) ? {} : 'credential'
    },
  }
}
