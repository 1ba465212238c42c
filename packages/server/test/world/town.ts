import { createHmac } from 'node:crypto'
import { allowNativeDelivery } from '@latchkey/accounts'
import { randomBytes } from '@latchkey/bytes'
import { createPasswordHasher, type PasswordEngine } from '@latchkey/password'
import { createServer, type Server, type ServerStores } from '@latchkey/server'
import { createMemoryCounterStore } from '@latchkey/store'
import { password, policy, typeDefs } from '../support/bench.ts'
import { type Answer, createVisitor, type Delivery, ownPage, type Visitor } from '../support/visitor.ts'
import { createDiary, type Diary } from './diary.ts'
import type { World } from './simulated-world.ts'

/** A service in a simulated world, those who visit it, and what happened to them. */
export interface Town {
  readonly world: World
  readonly diary: Diary
  readonly server: Server
  readonly people: readonly Person[]
  /** Waits for the answer, and writes it down. */
  does(person: Person, what: string, asking: Promise<Answer>): Promise<Answer>
  close(): Promise<void>
}

export interface Person {
  readonly name: string
  readonly email: string
  readonly delivery: Delivery
  readonly visitor: Visitor
  password: string
}

export interface TownOptions {
  readonly stores: ServerStores
  /** The clock of the stores and the hasher. Omitted: that of the world. */
  readonly clock?: () => number
}

/** It computes in this turn of the event loop: with threads, the machine would decide which hash is ready first. */
const engine: PasswordEngine = {
  name: 'in-this-turn',
  kinds: ['argon2id'],
  run: (job) =>
    createHmac('sha256', job.kind === 'argon2id' ? job.salt : '')
      .update(job.password)
      .digest(),
}

const resolvers = {
  Account: { greeting: () => 'Hello' },
  Query: { hello: () => 'Hello', secretPlan: () => 'none' },
  Mutation: { writeNote: (_source: unknown, { text }: { text: string }) => text },
}

const names = ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Flo'] as const
const deliveries: readonly Delivery[] = ['SESSION', 'TOKEN', 'NATIVE']
const requestsPerMinute = 4

export async function openTown(world: World, { stores, clock = world.now }: TownOptions): Promise<Town> {
  const diary = createDiary(clock)
  const secrets = [{ id: 'root', bytes: randomBytes(32) }] as const
  const passwords = createPasswordHasher({ engines: { argon2id: engine }, concurrency: 2, now: clock })
  const counters = createMemoryCounterStore({ now: clock })
  const server = createServer({
    baseUrl: 'https://example.com',
    secrets: { load: async () => secrets },
    stores,
    signUp: { role: 'READER' },
    policy,
    typeDefs,
    resolvers,
    sessions: { nativeDelivery: allowNativeDelivery },
    signIn: { passwordHasher: passwords },
    mails: { mailer: { send: async (message) => diary.mailed(message) } },
    observe: { onEvent: diary.happened },
    graphql: {
      async rateLimit({ request }) {
        const { count, resetAt } = await counters.hit(request.headers.get('x-person') ?? '', 60_000)
        const retryAfterSeconds = Math.ceil((resetAt - clock()) / 1000)
        return count > requestsPerMinute ? { ok: false, retryAfterSeconds } : { ok: true }
      },
    },
  })
  await world.settle(server.open({ migrate: true }))
  return {
    world,
    diary,
    server,
    people: names.map((name, index) => createPerson(server, name, deliveries[index % 3])),
    async does({ name }, what, asking) {
      const answer = await world.settle(asking)
      diary.answered(`${name} ${what}`, answer)
      return answer
    },
    async close() {
      await world.settle(server.close())
      await world.settle(passwords.close())
    },
  }
}

function createPerson(server: Server, name: string, delivery: Delivery = 'SESSION'): Person {
  const visitor = createVisitor(server)
  visitor.headers = { ...ownPage, 'x-person': name }
  return { name, email: `${name.toLowerCase()}@example.com`, delivery, visitor, password }
}
