import type { Facts } from '../deeds/deed.ts'
import type { Service } from '../service/service.ts'
import type { Person } from './person.ts'
import { attemptOf, type Habit, type Plan } from './plan.ts'

type Change = 'lockAccount' | 'unlockAccount' | 'disable' | 'enable'

const change =
  (name: Change, what: string, audited: string, status: Facts['status']): Habit =>
  (_scene, person): Plan => ({
    what,
    claims: {
      sets: { status },
      audited,
      mayRevoke: true,
      ...((status === 'locked' || status === 'disabled') && { revokes: 'all' as const }),
    },
    ask: (service: Service) => administer(service, name, person),
  })

async function administer({ accounts }: Service, name: Change, person: Person): Promise<object | string> {
  const account = await accounts[name]({ id: person.id, actorId: 'acc_root', attempt: attemptOf(person) })
  return account ? {} : 'missing'
}

export const lock = change('lockAccount', 'lock the account', 'account.locked', 'locked')
export const unlock = change('unlockAccount', 'unlock the account', 'account.unlocked', 'active')

export const setRoles: Habit = (scene, person) => {
  const roles = scene.choices.chance(50) ? ['READER'] : ['READER', 'WRITER']
  return {
    what: `set the roles ${roles.join()}`,
    claims: { sets: { roles: roles.join() }, mayRevoke: true, audited: 'role.changed' },
    async ask({ accounts }) {
      return (await accounts.setRoles({ id: person.id, roles, actorId: 'acc_root', attempt: attemptOf(person) }))
        ? {}
        : 'missing'
    },
  }
}

export const endSessions: Habit = (_scene, person) => ({
  what: 'revoke all sessions as administrator',
  claims: { revokes: 'all', audited: 'sessions.ended' },
  async ask({ accounts }) {
    await accounts.endSessions({ id: person.id, actorId: 'acc_root', attempt: attemptOf(person) })
    return {}
  },
})
