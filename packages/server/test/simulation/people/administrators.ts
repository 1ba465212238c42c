import type { Claims, Facts } from '../deeds/deed.ts'
import type { Person } from './person.ts'
import { attemptOf, type Habit, idOf, type Plan, pick, type Scene } from './plan.ts'

type Change = 'lockAccount' | 'unlockAccount' | 'disable' | 'enable'

interface Closing {
  readonly name: Change
  readonly what: string
  readonly audited: string
  readonly status: Facts['status']
}

/** A change to a state that the account has already changes nothing, and is answered with the state that it has. */
const change =
  ({ name, what, audited, status }: Closing): Habit =>
  (scene, person): Plan => {
    const actorId = actorOf(scene, person)
    return {
      what,
      claims: { sets: { status }, audited, mayRevoke: true, lingers: person.isAdministrator, ...effectOf(status) },
      async ask({ accounts }) {
        const account = await accounts[name]({ id: idOf(person), actorId, attempt: attemptOf(person) })
        return account ? { sets: { status: account.status } } : 'missing'
      },
    }
  }

const effectOf = (status: Facts['status']): Claims =>
  status === 'active' ? { keepsKeys: true as const } : { revokes: 'all' as const }

/** Somebody else who administers, or whoever runs the service. */
function actorOf(scene: Scene, person: Person): string {
  const others = scene.people.filter(({ isAdministrator, id }) => isAdministrator && id !== person.id)
  return pick(scene, others)?.id ?? 'acc_root'
}

const closings = {
  lock: { name: 'lockAccount', what: 'lock the account', audited: 'account.locked', status: 'locked' },
  unlock: { name: 'unlockAccount', what: 'unlock the account', audited: 'account.unlocked', status: 'active' },
  disable: { name: 'disable', what: 'disable the account', audited: 'account.disabled', status: 'disabled' },
  enable: { name: 'enable', what: 'enable the account', audited: 'account.enabled', status: 'active' },
} as const

export const lock: Habit = change(closings.lock)
export const unlock: Habit = change(closings.unlock)
export const disable: Habit = change(closings.disable)
export const enable: Habit = change(closings.enable)

export const setRoles: Habit = (scene, person) => {
  const all = person.isAdministrator ? ['READER', 'ADMIN'] : ['READER', 'READER WRITER']
  const roles = (pick(scene, all) ?? 'READER').split(' ')
  const actorId = actorOf(scene, person)
  return {
    what: `set the roles ${roles.join()}`,
    claims: {
      ...{ sets: { roles: roles.join() }, mayRevoke: true, keepsKeys: true, audited: 'role.changed' },
      lingers: person.isAdministrator,
    },
    async ask({ accounts }) {
      return (await accounts.setRoles({ id: idOf(person), roles, actorId, attempt: attemptOf(person) }))
        ? {}
        : 'missing'
    },
  }
}

/** Administrators remove each other at the same moment. */
export const oust: Habit = (scene, person) => {
  if (!person.isAdministrator) return null
  const habits = [setRoles, lock, disable] as const
  return (habits[scene.choices.below(habits.length)] ?? setRoles)(scene, person)
}

export const endSessions: Habit = (_scene, person) => ({
  what: 'revoke all sessions as administrator',
  claims: { revokes: 'all', audited: 'sessions.ended' },
  async ask({ accounts }) {
    await accounts.endSessions({ id: idOf(person), actorId: 'acc_root', attempt: attemptOf(person) })
    return {}
  },
})
