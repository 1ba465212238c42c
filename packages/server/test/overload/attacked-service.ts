// The service in a process of its own, for what is measured beside it.
import { Worker } from 'node:worker_threads'
import { listen } from '@latchkey/server/node'
import { createBench } from '../support/bench.ts'
import { type Order, processorMs } from './honest-client.ts'

const hundredThousand = 'x'.repeat(100_000)
const typeDefs = `
  type Query { now: Float! @public, hello(name: String! = "you"): String! @public, many(first: Int!): [String!]! @public }
  type Subscription { ticks: Int! @public }
`
const resolvers = {
  Query: {
    now: () => processorMs(),
    hello: (_source: unknown, { name }: { readonly name: string }) => `Hello ${name.length}`,
    many: (_source: unknown, { first }: { readonly first: number }) => Array<string>(first).fill(hundredThousand),
  },
  Subscription: { ticks: { subscribe: () => new EventTarget() } },
}

const listener = await listen(
  ({ port }) => createBench({ options: { baseUrl: `http://127.0.0.1:${port}`, typeDefs, resolvers } as never }).server,
  { port: 0, print: null },
)

const client = new Worker(new URL('./honest-client.ts', import.meta.url), { workerData: listener.port })
client.on('message', (spent: readonly number[]) => process.send?.(spent))
process.on('message', (order: Order) => client.postMessage(order))
process.on('disconnect', () => process.exit())
process.send?.(listener.port)
