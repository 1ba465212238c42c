// A service in a process of its own, as an application starts it. It tells its port, and for each word `gc` collects its garbage
// and answers with the longest delay of its event loop since the last one, in milliseconds.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { listen } from '@latchkey/server/node'
import { createBench, createMemoryStores } from '../support/bench.ts'

const typeDefs = `
  type Query { hello: String! @public }
  type Subscription { ticks: Int! @public }
`
async function* subscribe() {
  for (let ticks = 0; ; ticks++) {
    await setTimeout(1_000)
    yield { ticks }
  }
}
const resolvers = { Query: { hello: () => 'Hello' }, Subscription: { ticks: { subscribe } } }

// Events that are kept would count as what the attack takes.
const onEvent = (): void => undefined
const stores = createMemoryStores()
const listener = await listen(
  ({ port }) =>
    createBench({
      options: { baseUrl: `http://127.0.0.1:${port}`, typeDefs, resolvers, stores, observe: { onEvent } } as never,
    }).server,
  { port: 0, print: null },
)

const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()
process.on('message', () => {
  const longestMs = delay.max / 1e6
  globalThis.gc?.()
  delay.reset()
  process.send?.(longestMs)
})
process.on('disconnect', () => process.exit())
process.send?.(listener.port)
