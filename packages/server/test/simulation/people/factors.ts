import type { Yield } from '../deeds/deed.ts'
import { unknown, unseen } from '../deeds/deed.ts'
import { codeOf, drawCode, freshCode } from './codes.ts'
import { forgetPasskey, hasPasskey } from './passkeys-held.ts'
import type { Code, Held, Person } from './person.ts'
import { attemptOf, type Habit, hold, idOf, type Plan, pickHeld } from './plan.ts'
import { identify, revokesRest } from './sessions.ts'

export const startTotp: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  return {
    what: 'start with an app',
    claims: { presents: held.credential },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const started = await service.accounts.startTotpEnrollment({ identity, attempt: attemptOf(person) })
      if (!started.ok) return 'credentials'
      person.pendingTotp = { secret: started.secret, held }
      return {}
    },
  }
}

/** Sets up the app that was started, mostly in the session in which it was. */
export const confirmTotp: Habit = (scene, person) => {
  if (!person.pendingTotp) return null
  const { secret } = person.pendingTotp
  const held = scene.choices.chance(20) ? pickHeld(scene, person) : person.pendingTotp.held
  if (!held) return null
  const isWrong = scene.choices.chance(15)
  const code = isWrong ? codeOf(secret, scene.now() - 3_600_000) : codeOf(secret, scene.now())
  return changeOf(person, held, {
    what: isWrong ? 'confirm the app wrongly' : 'confirm the app',
    claims: { ...code, sets: { totp: secret }, audited: 'factor.added', mails: 'factor-added' },
    async change({ accounts }, identity) {
      const result = await accounts.confirmTotpEnrollment({
        ...{ identity, code: code.secondFactor, attempt: attemptOf(person) },
      })
      if (!isWrong) person.pendingTotp = null
      if (!result.ok) return null
      person.totp = secret
      return result
    },
  })
}

export const disableTotp: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  const code = drawCode(scene, person)
  if (!held || !code) return null
  return changeOf(person, held, {
    what: 'remove the app',
    claims: {
      ...{ ...code, audited: 'factor.removed', mails: 'factor-removed' },
      // Recovery codes are for a passkey, too.
      sets: { totp: null, codes: hasPasskey(person) ? unknown : '' },
    },
    async change({ accounts }, identity) {
      const result = await accounts.disableTotp({ identity, code: code.secondFactor, attempt: attemptOf(person) })
      if (!result.ok) return null
      person.totp = null
      if (!hasPasskey(person)) loseCodes(person)
      return result
    },
  })
}

export const regenerateCodes: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  const code = person.totp === null ? null : freshCode(scene, person, person.totp)
  if (!held || !code) return null
  return changeOf(person, held, {
    what: 'make new recovery codes',
    claims: { ...code, sets: { codes: unseen }, audited: 'factor.added' },
    async change({ accounts }, identity) {
      const asked = { identity, code: code.secondFactor, attempt: attemptOf(person) }
      const result = await accounts.regenerateRecoveryCodes(asked)
      return result.ok ? result : null
    },
  })
}

/** An administrator removes all factors of somebody who has lost them. */
export const resetFactors: Habit = (_scene, person) =>
  person.totp === null && person.passkeys.perhaps === null ? null : resetFactorsOf(person)

const resetFactorsOf = (person: Person): Plan => ({
  what: 'reset the factors',
  claims: {
    sets: { totp: null, codes: '', user: null, passkey: null },
    ...{ revokes: 'all', keepsKeys: true, mails: 'factor-removed' },
  },
  async ask({ accounts }) {
    const isReset = await accounts.resetFactors({ id: idOf(person), actorId: 'acc_root', attempt: attemptOf(person) })
    if (isReset) forgetPasskey(person)
    return isReset ? {} : 'missing'
  },
})

/** Remembers that the recovery codes went with the last factor. */
export function loseCodes(person: Person): void {
  person.formerCodes = person.recoveryCodes
  person.recoveryCodes = []
}

type Service = Parameters<Plan['ask']>[0]
export type Identity = NonNullable<Awaited<ReturnType<typeof identify>>>
type Changed = Extract<Awaited<ReturnType<Service['accounts']['disableTotp']>>, { readonly ok: true }>

interface Change extends Pick<Plan, 'what' | 'claims'> {
  /** Null: it was refused. */
  readonly change: (service: Service, identity: Identity) => Promise<Changed | 'missing' | null>
}

/** A change of the factors, which revokes everything but the session or family of its request. */
export function changeOf(person: Person, held: Held, { what, claims, change }: Change): Plan {
  return {
    what,
    claims: { ...claims, presents: held.credential, ...revokesRest(held), keepsKeys: true },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const changed = await change(service, identity)
      if (changed === 'missing') return changed
      if (!changed) return 'credentials'
      if (isCode(claims)) person.usedCodes.push(claims)
      return yieldOf(person, changed)
    },
  }
}

const isCode = (claims: Plan['claims']): claims is Code => claims.secondFactor !== undefined

function yieldOf(person: Person, { credentials, codes }: Changed): Yield {
  if (codes) {
    if (person.recoveryCodes.length > 0) person.formerCodes = person.recoveryCodes
    person.recoveryCodes = codes
  }
  return {
    ...(credentials && { credential: hold(person, credentials) }),
    ...(codes && { sets: { codes: codes.join(' ') } }),
  }
}
