import { createMemoryAccountStore } from '@latchkey/accounts'
import { definePolicy } from '@latchkey/rbac'
import { createServer, type ServerOptions } from '@latchkey/server'
import {
  createMemoryBroadcast,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
} from '@latchkey/store'

const policy = definePolicy({ permissions: ['notes:write'], roles: { READER: { permissions: ['notes:write'] } } })

export interface NoteServiceOptions extends Pick<Partial<ServerOptions<typeof policy>>, 'graphql' | 'http' | 'oauth'> {
  readonly baseUrl: string
  /** Counts how often the mutation has run. */
  readonly writes: { count: number }
  /** Carries the events of the subscription. */
  readonly broadcast?: ReturnType<typeof createMemoryBroadcast>
}

/** Creates a service in memory with a query, a mutation and a subscription for accounts. */
export function createNoteService({ writes, broadcast = createMemoryBroadcast(), ...options }: NoteServiceOptions) {
  return createServer({
    ...options,
    secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(32) }] },
    stores: {
      accounts: createMemoryAccountStore(),
      records: createMemoryRecordStore(),
      counters: createMemoryCounterStore(),
      documents: createMemoryDocumentStore(),
    },
    mails: { mailer: { send: async () => {} } },
    signUp: { role: 'READER' },
    policy,
    typeDefs: `
      type Query { secret: String! @authenticated }
      type Mutation {
        write: Int! @requires(permissions: "notes:write")
        publish: Int! @authenticated @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
        share: Int! @requires(permissions: "notes:write") @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
      }
      type Subscription { noted: String! @requires(permissions: "notes:write") }`,
    resolvers: {
      Query: { secret: () => 'a secret' },
      Mutation: { write: () => ++writes.count, publish: () => ++writes.count, share: () => ++writes.count },
      Subscription: { noted: { subscribe: () => broadcast.listen('notes'), resolve: (text: string) => text } },
    },
  })
}
