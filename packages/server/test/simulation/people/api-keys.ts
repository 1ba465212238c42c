import type { Credential } from '../deeds/deed.ts'
import type { Held, Person } from './person.ts'
import { attemptOf, type Habit, idOf, type Plan, pick, pickHeld } from './plan.ts'
import { identify } from './sessions.ts'

export const createKey: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  return {
    what: 'create an API key',
    claims: { presents: held.credential, audited: 'api-key.created', mails: 'api-key-created' },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const asked = { identity, name: 'export', scopes: ['articles:read'], expiresInDays: 7 }
      const result = await service.accounts.createApiKey({ ...asked, attempt: attemptOf(person) })
      if (!result.ok) return 'credentials'
      const credential: Credential = {
        ...{ key: result.apiKey.id, kind: 'key', account: held.credential.account, secret: result.key },
      }
      person.keys.push({ credential, refreshTokens: [], accessToken: null })
      return { credential }
    },
  }
}

export const useKey: Habit = (scene, person) => {
  const held = pick(scene, person.keys)
  return held ? useKeyWith(person, held) : null
}

export function useKeyWith(person: Person, { credential }: Held): Plan {
  return {
    what: 'use an API key',
    claims: { presents: credential },
    async ask({ accounts }) {
      const found = await accounts.identifyApiKey({ key: credential.secret, attempt: attemptOf(person) })
      return found ? { roles: found.facts.roles } : 'credential'
    },
  }
}

/** Looks at the keys that the account has. */
export const listKeys: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  return held && person.keys.length > 0 ? listKeysWith(held) : null
}

export function listKeysWith(held: Held): Plan {
  return {
    what: 'list the API keys',
    claims: { presents: held.credential },
    async ask(service) {
      const facts = await identify(service, held)
      if (!facts) return 'credential'
      return { listedKeys: (await service.accounts.listApiKeys(facts.subject)).map(({ id }) => id) }
    },
  }
}

export const revokeKey: Habit = (scene, person) => {
  const held = pick(scene, person.keys)
  if (!held) return null
  const { credential } = held
  const isLeaked = scene.choices.chance(30)
  return {
    what: isLeaked ? 'revoke a leaked API key' : 'revoke an API key',
    claims: { revokes: credential, audited: 'api-key.revoked' },
    async ask({ accounts }) {
      const attempt = attemptOf(person)
      const isRevoked = isLeaked
        ? await accounts.revokeLeakedApiKey({ key: credential.secret, attempt })
        : await accounts.revokeApiKey({ subject: idOf(person), id: credential.key, attempt })
      return isRevoked ? {} : { isVain: true }
    },
  }
}
