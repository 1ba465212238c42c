// One server of the GraphQL benchmark in a process of its own: `graphql-server.ts <schema> <way>`. It sends its port, and its
// processor time when it is asked.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { registerHooks } from 'node:module'
import type { AddressInfo } from 'node:net'
import { graphqlWays, type SchemaName } from './graphql-ways.ts'

const [schema = '', name = ''] = process.argv.slice(2)
const way = graphqlWays[schema as SchemaName]?.[name]
if (!way) throw new Error('usage: graphql-server.ts <schema> <way>')
const { graphql } = way
if (graphql) {
  const url = import.meta.resolve(graphql)
  const isGraphql = (specifier: string): boolean => specifier === 'graphql' || specifier === 'graphql-17'
  registerHooks({ resolve: (from, context, next) => (isGraphql(from) ? next(url, context) : next(from, context)) })
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
