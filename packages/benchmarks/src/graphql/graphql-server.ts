// One server of the GraphQL benchmark in a process of its own: `graphql-server.ts <way>`. It prints its port, and its
// processor time when it is asked.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { registerHooks } from 'node:module'
import type { AddressInfo } from 'node:net'
import { graphqlWays } from './graphql-ways.ts'

const way = graphqlWays[process.argv[2] ?? '']
if (!way) throw new Error('usage: graphql-server.ts <way>')
const { graphql } = way
if (graphql) {
  const url = import.meta.resolve(graphql)
  const isGraphql = (name: string): boolean => name === 'graphql' || name === 'graphql-17'
  registerHooks({ resolve: (name, context, next) => (isGraphql(name) ? next(url, context) : next(name, context)) })
}
const opened = await way.open()
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
process.on('disconnect', () => process.exit())
process.send?.({ port: typeof opened === 'number' ? opened : await listen(opened) })

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
