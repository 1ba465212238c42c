import type { Accounts } from '@latchkey/accounts'
import type { Claims } from '../deeds/deed.ts'
import type { Held, Person } from './person.ts'
import { attemptOf, type Habit, hold, keep, type Plan, pickHeld, type Scene } from './plan.ts'
import { identify, revokesRest } from './sessions.ts'

type ByProvider = Omit<Parameters<Accounts['signInWithProvider']>[0], 'delivery'>

/** Signs in as the user of the provider. Whoever has no account gets one. */
export const signInByProvider: Habit = (scene, person) => signInByProviderWith(scene, person)

export function signInByProviderWith({ now, choices }: Scene, person: Person): Plan {
  const isNew = person.id === null
  person.hasLinked = true
  const user = userOf(person)
  const delivery = choices.chance(30) ? 'native' : 'session'
  const sets = { status: 'active', user } as const
  return {
    what: isNew ? 'open an account with the provider' : 'sign in with the provider',
    claims: {
      ...(isNew ? { sets } : { audited: 'session.created', auditedIfRefused: 'sign-in.failed' }),
      ...{ user, opens: true },
    },
    async ask({ accounts }) {
      // The address of an account is verified at its service alone: nobody opens another account once this one is gone.
      const identity = { ...identified(person, now, null), emailVerified: isNew }
      return keep(person, await accounts.signInWithProvider({ ...identity, delivery }))
    },
  }
}

export const linkProvider: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  const user = userOf(person)
  person.hasLinked = true
  return changeOf(person, held, {
    what: 'link the provider',
    claims: { sets: { user }, audited: 'provider.linked', mails: 'provider-linked' },
    change: async (accounts, identity) =>
      accounts.linkProvider({ ...identified(person, scene.now, `link:${identity.key}`), identity }),
  })
}

/** Links the user of the provider unless it is linked. */
export const linkFirst: Habit = (scene, person) => (person.isLinked ? null : linkProvider(scene, person))

export const unlinkProvider: Habit = (scene, person) => {
  const held = pickHeld(scene, person)
  if (!held) return null
  return changeOf(person, held, {
    what: 'unlink the provider',
    claims: { sets: { user: null }, audited: 'provider.unlinked', mails: 'provider-unlinked' },
    async change(accounts, identity) {
      const [linked] = await accounts.linkedProviders(identity.subject)
      return linked ? accounts.unlinkProvider({ identity, id: linked.id, attempt: attemptOf(person) }) : null
    },
  })
}

const userOf = ({ name }: Person): string => `the provider's ${name}`

const identified = (person: Person, now: () => number, binding: string | null): ByProvider => ({
  ...{ issuer: 'https://provider.example', subject: userOf(person), email: person.email, emailVerified: false },
  ...{ amr: [], sid: null, authenticatedAt: now(), binding, attempt: attemptOf(person) },
})

type Identity = NonNullable<Awaited<ReturnType<typeof identify>>>
type Changed = Awaited<ReturnType<Accounts['unlinkProvider']>>

interface Change {
  readonly what: string
  readonly claims: Claims & { readonly sets: { readonly user: string | null } }
  /** Null: nothing is linked. */
  readonly change: (accounts: Accounts, identity: Identity) => Promise<Changed>
}

/** A change of the links, which revokes everything but the session or family of its request. */
function changeOf(person: Person, held: Held, { what, claims, change }: Change): Plan {
  return {
    what,
    claims: { ...claims, presents: held.credential, ...revokesRest(held), keepsKeys: true },
    async ask(service) {
      const identity = await identify(service, held)
      if (!identity) return 'credential'
      const changed = await change(service.accounts, identity)
      if (!changed) return 'missing'
      if (!changed.ok) return 'credentials'
      person.isLinked = claims.sets.user !== null
      return changed.credentials ? { credential: hold(person, changed.credentials) } : {}
    },
  }
}
