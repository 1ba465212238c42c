// The service in a process of its own, for what is measured beside it.
import { createFairQueue } from '@latchkey/http/fair-queue'
import { listen } from '@latchkey/server/node'
import { createBench } from '../support/bench.ts'
import { createThreadTrace } from './thread-trace.ts'

const trace = createThreadTrace()
const hundredThousand = 'x'.repeat(100_000)
const typeDefs = `
  type Query {
    waited(since: Float!): Float! @public
    hello(name: String! = "you"): String! @public
    many(first: Int!): [String!]! @public
  }
  type Subscription { ticks: Int! @public }
`
const resolvers = {
  Query: {
    waited: (_source: unknown, { since }: { readonly since: number }) => trace.since(since),
    hello: (_source: unknown, { name }: { readonly name: string }) => `Hello ${name.length}`,
    many: (_source: unknown, { first }: { readonly first: number }) => Array<string>(first).fill(hundredThousand),
  },
  Subscription: { ticks: { subscribe: () => new EventTarget() } },
}

// Events that are kept would be moved by each collection of garbage.
const onEvent = (): void => undefined
const fairQueue = process.argv.includes('fair-queue') ? { http: { fairQueue: createFairQueue } } : {}
const listener = await listen(
  ({ port }) =>
    createBench({
      options: {
        baseUrl: `http://127.0.0.1:${port}`,
        typeDefs,
        resolvers,
        observe: { onEvent },
        ...fairQueue,
      } as never,
    }).server,
  { port: 0, print: null },
)

process.on('disconnect', () => process.exit())
process.send?.(listener.port)
