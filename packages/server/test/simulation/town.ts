import type { SecretKeys } from '@latchkey/bytes'
import { createKeyRing, generateJwtKey } from '@latchkey/jwt'
import { createBytes } from '../platform/random-bytes.ts'
import type { Facts } from './deeds/deed.ts'
import type { Person } from './people/person.ts'
import { createResidents, drawFirst, type Role } from './residents.ts'
import { type Board, createBoard } from './service/board.ts'
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
  /** Adds somebody with an account of the role; null: somebody who has none. */
  readonly settle: (role: Role | null) => Promise<Person>
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

const signingKey = await withReadableKeys(() => generateJwtKey('HS256'))
const appKey = await withReadableKeys(() => generateJwtKey('EdDSA'))

interface TownOptions extends Pick<Plant, 'inProcess' | 'terms'> {
  /** Whether the processes of some worlds are whole servers. */
  readonly hasServers: boolean
  readonly hasOtherWays: boolean
}

export async function openTown(
  world: World,
  stores: WorldStores,
  seed: string,
  { inProcess = (reached) => reached, terms = {}, hasServers, hasOtherWays }: TownOptions,
): Promise<Town> {
  const secrets = [{ id: 'root', bytes: new Uint8Array(createBytes(`${seed}: secrets`)(32)) }] as const
  const keys = createKeyRing({ keys: [signingKey] })
  const appKeys = createKeyRing({ keys: [appKey] })
  const seen: string[] = []
  const [startOne, count] = hasServers && world.choices.chance(10) ? [startServer, 2] : [startService, 4]
  const board = createBoard(world.now)
  const isSeen = world.choices.chance(25)
  const { people, initial, settle } = createResidents(stores.accounts)
  for (const role of drawFirst(world.choices)) await settle(role)
  let started = 0
  const start = (): Process => {
    const machine = createMachine(`p${++started}`)
    const reached = reachStores(world, stores, (call, input) => {
      if (isSeen) seen.push(`${call} ${JSON.stringify(input)}`)
    })
    let service: Service | null = null
    const parts: ServiceParts = {
      ...{ world, machine, secrets, keys, appKeys, board, hasOtherWays },
      stores: runIn(machine, () => inProcess(reached, world)),
      terms: { ...lifetimes, ...terms },
      mailed(message) {
        const { to, kind, url } = message
        const code = message.kind === 'sign-in-code' ? { code: message.data.code } : {}
        people.find(({ addresses }) => addresses.includes(to))?.mails.push({ to, kind, url, ...code, at: world.now() })
      },
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
    initial,
    settle,
    seen,
    secrets,
    board: startOne === startServer ? board : null,
    restart: (place) => void processes.splice(place, 1, start()),
  }
}

/** Ends all that fails or is late. */
export function calmDown({ processes }: Town): void {
  for (const { machine } of processes)
    Object.assign(machine, { skewMs: 0, failing: 0, silentUntil: 0, isDoomed: false })
}
