import type { SecretKeys } from '@latchkey/bytes'
import { createKeyRing, generateJwtKey } from '@latchkey/jwt'
import { createPasswordHasher } from '@latchkey/password'
import { createBytes } from '../platform/random-bytes.ts'
import type { Facts } from './deeds/deed.ts'
import type { Person } from './people/person.ts'
import { type Board, createBoard } from './service/board.ts'
import { createEngine } from './service/password-engine.ts'
import type { Service, ServiceParts } from './service/service.ts'
import { lifetimes, type Terms } from './service/terms.ts'
import { startService } from './service/use-cases.ts'
import { startServer } from './service/whole-server.ts'
import { createMachine, type Machine, runIn } from './world/machine.ts'
import { withReadableKeys } from './world/platform.ts'
import { reachStores, type WorldStores } from './world/stores.ts'
import type { World } from './world/world.ts'

/** A service of four processes on one set of stores, and the people who have accounts. */
export interface Town {
  readonly processes: Process[]
  readonly people: readonly Person[]
  readonly initial: ReadonlyMap<string, Facts>
  /** Everything that left the processes, except for answers: calls of stores and events. Empty unless it is looked at. */
  readonly seen: string[]
  /** What the audit log is sealed with. */
  readonly secrets: SecretKeys
  /** What is published to streams; null: the processes have none. */
  readonly board: Board | null
  /** Starts a process in the place of one that was killed. */
  readonly restart: (place: number) => void
}

/** A process, whose service starts when it is first used. */
export interface Process {
  readonly machine: Machine
  readonly service: () => Service
}

/** A fault that a run has from its start. */
export interface Plant {
  /** Stands around the shared stores. */
  readonly around?: (stores: WorldStores, world: World) => WorldStores
  /** Stands around the stores that a process reaches: called once for each process, in it. */
  readonly inProcess?: (stores: WorldStores, world: World) => WorldStores
  /** Lifetimes that the service has instead of those that it promises. */
  readonly terms?: Partial<Terms>
}

const names: readonly string[] = ['ada', 'bo', 'cy']
const administrators: readonly string[] = ['ida', 'max']
const newcomers: readonly string[] = ['nel']
const firstPassword = 'otters read quietly at dawn'
const signingKey = await withReadableKeys(() => generateJwtKey('HS256'))
const appKey = await withReadableKeys(() => generateJwtKey('EdDSA'))
const firstHash = await createPasswordHasher({
  engines: { argon2id: createEngine(async () => undefined) },
}).hash(firstPassword)

export async function openTown(
  world: World,
  stores: WorldStores,
  seed: string,
  { inProcess = (reached) => reached, terms = {} }: Pick<Plant, 'inProcess' | 'terms'> = {},
): Promise<Town> {
  const secrets = [{ id: 'root', bytes: new Uint8Array(createBytes(`${seed}: secrets`)(32)) }] as const
  const keys = createKeyRing({ keys: [signingKey] })
  const appKeys = createKeyRing({ keys: [appKey] })
  const seen: string[] = []
  const [startOne, count] = world.choices.chance(5) ? [startServer, 2] : [startService, 4]
  const board = createBoard(world.now)
  const isSeen = world.choices.chance(25)
  const people = [
    ...names.slice(0, [1, 1, 2, 3][world.choices.below(4)]).map((name) => createPerson(name, 'READER')),
    ...administrators.slice(0, [0, 1, 2, 2][world.choices.below(4)]).map((name) => createPerson(name, 'ADMIN')),
    ...newcomers.slice(0, world.choices.chance(20) ? 1 : 0).map((name) => createPerson(name, null)),
  ]
  for (const { id, email, name, isAdministrator } of people) {
    if (id === null) continue
    const roles = [roleOf(isAdministrator)]
    await stores.accounts.insert({ id, email, name, roles, status: 'active', passwordHash: firstHash, epoch: 0 })
  }
  let started = 0
  const start = (): Process => {
    const machine = createMachine(`p${++started}`)
    const reached = reachStores(world, stores, (call, input) => {
      if (isSeen) seen.push(`${call} ${JSON.stringify(input)}`)
    })
    let service: Service | null = null
    const parts: ServiceParts = {
      ...{ world, machine, secrets, keys, appKeys, board },
      stores: runIn(machine, () => inProcess(reached, world)),
      terms: { ...lifetimes, ...terms },
      mailed: ({ to, kind, url }) =>
        people.find(({ addresses }) => addresses.includes(to))?.mails.push({ to, kind, url, at: world.now() }),
      happened: (event) => {
        if (isSeen) seen.push(JSON.stringify(event))
      },
    }
    return {
      machine,
      service() {
        service ??= startOne(parts)
        return service
      },
    }
  }
  const processes = Array.from({ length: count }, start)
  return {
    processes,
    people,
    initial: new Map(people.map((person) => [person.account, factsOf(person)])),
    seen,
    secrets,
    board: startOne === startServer ? board : null,
    restart: (place) => void processes.splice(place, 1, start()),
  }
}

const roleOf = (isAdministrator: boolean): string => (isAdministrator ? 'ADMIN' : 'READER')

function factsOf({ id, email, isAdministrator }: Person): Facts {
  if (id === null) return { password: null, email, status: 'missing', roles: 'READER', totp: null, codes: '' }
  return { password: firstPassword, email, status: 'active', roles: roleOf(isAdministrator), totp: null, codes: '' }
}

/** Somebody with an account of the role; null: somebody who has none. */
function createPerson(name: string, role: 'READER' | 'ADMIN' | null): Person {
  return {
    name,
    account: `acc_${name}`,
    id: role === null ? null : `acc_${name}`,
    isAdministrator: role === 'ADMIN',
    email: `${name}@example.com`,
    addresses: [`${name}@example.com`, `${name}@new.example.com`],
    address: `198.51.100.${1 + [...names, ...administrators, ...newcomers].indexOf(name)}`,
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
    pendingTotp: null,
    totp: null,
    recoveryCodes: [],
    challenges: [],
    devices: [],
    usedCodes: [],
  }
}
