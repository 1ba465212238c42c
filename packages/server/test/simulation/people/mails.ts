import { type Claims, unknown } from '../deeds/deed.ts'
import type { Letter, Person } from './person.ts'
import { ask, attemptOf, type Habit, type Plan, pick, pickHeld, type Scene } from './plan.ts'
import { identify } from './sessions.ts'

export type Link = Pick<Letter, 'to' | 'kind'> & { readonly link: string; readonly mailedAt: number }

/** Returns the links to a page that mails have brought, the latest last. */
export function linksTo({ mails }: Person, page: string): readonly Link[] {
  return mails.flatMap(({ url, at, to, kind }): Link[] => {
    const { pathname, searchParams } = new URL(url ?? 'https://example.com')
    const link = pathname === page ? searchParams.get('token') : null
    return link === null ? [] : [{ link, mailedAt: at, to, kind }]
  })
}

/** Draws a link to the page that a mail brought: mostly the latest. */
export function drawLink({ choices }: Scene, person: Person, page: string): Link | undefined {
  const links = linksTo(person, page)
  return links[links.length - 1 - (choices.chance(30) ? choices.below(links.length) : 0)]
}

export const requestReset: Habit = (_scene, person) => {
  const { email } = person
  return {
    what: 'request a reset',
    claims: { email, audited: 'password.reset-requested' },
    async ask({ accounts }) {
      await accounts.requestPasswordReset({ email, attempt: attemptOf(person) })
      return {}
    },
  }
}

export const reset: Habit = (scene, person) => {
  const found = drawLink(scene, person, '/reset')
  return found ? resetWith(person, found) : null
}

export function resetWith(person: Person, { link, mailedAt }: Link): Plan {
  const newPassword = `${person.name} was reset to otter ${person.passwords.length}`
  return {
    what: 'reset the password',
    claims: {
      ...{ link, mailedAt, sets: { password: newPassword, user: null }, revokes: 'all' },
      // Links to users of providers are removed before the password is set, so another change may come first.
      ...{ leavesIfRefused: { user: unknown }, audited: 'password.reset', mails: 'password-changed' },
    },
    async ask({ accounts }) {
      const result = await accounts.resetPassword({ token: link, newPassword, attempt: attemptOf(person) })
      if (!result.ok) return 'link'
      if (result.status === 'second-factor-required')
        return ask(person, { text: result.challenge, sets: { password: newPassword, user: null } })
      person.passwords = [...person.passwords, newPassword]
      return {}
    },
  }
}

/** Opens the page of a link, and does no more. */
export const checkLink: Habit = (scene, person) => {
  const found = drawLink(scene, person, '/reset')
  if (!found) return null
  return {
    what: 'open the page of a reset',
    claims: { checks: found.link, mailedAt: found.mailedAt },
    async ask({ accounts }) {
      const asked = { purpose: 'reset-password', token: found.link, attempt: attemptOf(person) } as const
      return (await accounts.checkLink(asked)).ok ? {} : 'link'
    },
  }
}

/** Asks for another address of their own, or for that of somebody else. */
export const requestAddress: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  const taken = scene.choices.chance(10) ? pick(scene, scene.people)?.email : undefined
  const others = person.addresses.filter((address) => address !== person.email)
  const newEmail = taken ?? pick(scene, scene.choices.chance(20) ? person.addresses : others)
  if (!held || newEmail === undefined) return null
  return {
    what: `ask for the address ${newEmail}`,
    claims: { presents: held.credential, newEmail },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      person.asked.push({ newEmail, by: held.credential })
      await service.accounts.requestEmailChange({ identity, newEmail, attempt: attemptOf(person) })
      return {}
    },
  }
}

export const confirmAddress: Habit = (scene, person) => {
  const found = drawLink(scene, person, '/confirm-email-change')
  const isPossible = found && isAskedByNobodyElse(scene, person, found)
  return !isPossible || (found.to === person.email && scene.choices.chance(90)) ? null : confirmWith(person, found)
}

/** Whether nobody else requested this address: otherwise the link may change the address of the other account. */
export const isAskedByNobodyElse = ({ people }: Scene, person: Person, { to }: Link): boolean =>
  !people.some((other) => other !== person && other.asked.some(({ newEmail }) => newEmail === to))

export function confirmWith(person: Person, { link, mailedAt, to: email }: Link): Plan {
  const keeps = new Map(person.asked.filter(({ newEmail }) => newEmail === email).map(({ by }) => [by.key, by]))
  const claims: Claims = { link, mailedAt, sets: { email }, revokes: 'others', keeps: [...keeps.values()] }
  return {
    what: `confirm the address ${email}`,
    claims: { ...claims, audited: 'email-change.confirmed', mails: 'email-changed' },
    async ask({ accounts }) {
      const result = await accounts.confirmEmailChange({ token: link, attempt: attemptOf(person) })
      if (!result.ok) return 'link'
      person.email = email
      return {}
    },
  }
}

export const undoAddress: Habit = (scene, person) => {
  const found = drawLink(scene, person, '/undo-email-change')
  if (!found || (found.kind === 'email-change-notice' && scene.choices.chance(85))) return null
  const { link, mailedAt, kind } = found
  const leavesIfRefused = { totp: unknown, codes: unknown, user: unknown, passkey: unknown }
  const sets = { email: unknown, password: null, ...leavesIfRefused }
  return {
    what: kind === 'email-changed' ? 'undo the change of address' : 'cancel the change of address',
    // The factors go before the address, so another change may come first once they are gone.
    claims: { link, mailedAt, sets, ...{ revokes: 'all', audited: 'email-change.undone', leavesIfRefused } },
    async ask({ accounts }) {
      const result = await accounts.undoEmailChange({ token: link, attempt: attemptOf(person) })
      if (!result.ok) return 'link'
      person.email = result.account.email
      return { sets: { email: result.account.email } }
    },
  }
}
