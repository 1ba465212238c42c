import type { AccountStore } from '@latchkey/accounts'
import { createPasswordHasher } from '@latchkey/password'
import type { Facts } from './deeds/deed.ts'
import type { Person } from './people/person.ts'
import { createEngine } from './service/password-engine.ts'
import type { Choices } from './world/choices.ts'

export type Role = 'READER' | 'ADMIN'

/** Those who have an account, or are about to sign up. */
export interface Residents {
  readonly people: readonly Person[]
  readonly initial: ReadonlyMap<string, Facts>
  readonly settle: (role: Role | null) => Promise<Person>
}

const names: readonly string[] = ['ada', 'bo', 'cy', 'ida', 'max', 'nel']
const firstPassword = 'otters read quietly at dawn'
const firstHash = await createPasswordHasher({
  engines: { argon2id: createEngine(async () => undefined) },
}).hash(firstPassword)

export function createResidents(accounts: Pick<AccountStore, 'insert'>): Residents {
  const people: Person[] = []
  const initial = new Map<string, Facts>()
  return {
    people,
    initial,
    async settle(role) {
      const person = createPerson(people.length, role)
      const { id, email, name, account } = person
      people.push(person)
      initial.set(account, factsOf(person))
      const own = { roles: [role ?? 'READER'], status: 'active', passwordHash: firstHash, epoch: 0 } as const
      if (id !== null) await accounts.insert({ id, email, name, ...own })
      return person
    },
  }
}

/** One to three people who have accounts, up to two administrators, and seldom somebody who signs up. */
export function drawFirst({ below, chance }: Choices): readonly (Role | null)[] {
  return [
    ...Array.from({ length: [1, 1, 2, 3][below(4)] ?? 1 }, () => 'READER' as const),
    ...Array.from({ length: [0, 1, 2, 2][below(4)] ?? 0 }, () => 'ADMIN' as const),
    ...(chance(20) ? [null] : []),
  ]
}

function factsOf({ id, email, isAdministrator }: Person): Facts {
  const none = { totp: null, codes: '', user: null, passkey: null } as const
  return id === null
    ? { password: null, email, status: 'missing', roles: 'READER', ...none }
    : { password: firstPassword, email, status: 'active', roles: isAdministrator ? 'ADMIN' : 'READER', ...none }
}

function createPerson(place: number, role: Role | null): Person {
  const name = names[place] ?? `guest${place}`
  return {
    name,
    account: `acc_${name}`,
    id: role === null ? null : `acc_${name}`,
    isAdministrator: role === 'ADMIN',
    email: `${name}@example.com`,
    addresses: [`${name}@example.com`, `${name}@new.example.com`],
    address: `198.51.100.${1 + place}`,
    passwords: role === null ? [] : [firstPassword],
    credentials: [],
    codes: [],
    apps: [],
    keys: [],
    acting: [],
    lines: [],
    signUps: [],
    mails: [],
    asked: [],
    askedCodes: [],
    isLinked: false,
    hasLinked: false,
    passkeys: { tried: [], pending: null, perhaps: null, underWay: 0, responses: [] },
    pendingTotp: null,
    totp: null,
    recoveryCodes: [],
    formerCodes: [],
    challenges: [],
    devices: [],
    usedCodes: [],
  }
}
