import { attemptOf, type Habit, pickHeld } from './plan.ts'
import { identify } from './sessions.ts'

/** Deletes the account. An administrator loses the roles first. */
export const leave: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  return {
    what: 'delete the account',
    claims: {
      presents: held.credential,
      sets: { status: 'deleted', ...(person.isAdministrator && { roles: '' }) },
      revokes: 'all',
      lingers: person.isAdministrator,
      audited: 'account.deleted',
      mails: 'account-deleted',
    },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const result = await service.accounts.deleteAccount({ identity, attempt: attemptOf(person) })
      return result.ok ? {} : 'credentials'
    },
  }
}
