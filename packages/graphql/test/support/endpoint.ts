import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AccessEvent,
  type AccessOptions,
  type AuthContext,
  compileAccess,
  createGraphqlHandler,
  type GraphqlHandler,
  type GraphqlHandlerOptions,
} from '@latchkey/graphql'
import { createIdentityReader } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { buildSchema, type GraphQLObjectType, type GraphQLResolveInfo, type GraphQLSchema } from 'graphql'
import { type Answered, graphqlResponse, json, policy, read } from './service.ts'

type Resolve = (source: never, args: never, context: AuthContext<typeof policy>, info: GraphQLResolveInfo) => unknown

export interface EndpointParts extends Partial<GraphqlHandlerOptions<typeof policy>> {
  readonly sdl: string
  /** By coordinate. */
  readonly resolvers?: Readonly<Record<string, Resolve>>
  /** Rules that are not `public`. */
  readonly rules?: AccessOptions<typeof policy>['rules']
  /** Whatever SDL cannot say. */
  readonly prepareSchema?: (schema: GraphQLSchema) => void
  readonly compile?: Partial<AccessOptions<typeof policy>>
}

export interface Endpoint {
  readonly url: string
  readonly events: AccessEvent[]
  readonly handler: GraphqlHandler
  post(params: unknown, headers?: Record<string, string>, init?: RequestInit): Promise<Answered>
  get(params: Record<string, string>, headers?: Record<string, string>): Promise<Answered>
  close(): Promise<void>
}

/** An endpoint of its own over HTTP, for the schema of one test file. Bearer tokens are names of roles. */
export async function openEndpoint({
  sdl,
  resolvers = {},
  rules = {},
  compile,
  prepareSchema,
  ...options
}: EndpointParts): Promise<Endpoint> {
  const events: AccessEvent[] = []
  const schema = buildSchema(sdl)
  prepareSchema?.(schema)
  const all: Record<string, unknown> = {}
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || !('getFields' in type) || type.astNode?.kind === 'InputObjectTypeDefinition')
      continue
    for (const [name, field] of Object.entries((type as GraphQLObjectType).getFields())) {
      all[`${type.name}.${name}`] = 'public'
      const resolve = resolvers[`${type.name}.${name}`]
      if (resolve) field.resolve = resolve as never
    }
  }
  const handler = createGraphqlHandler({
    access: compileAccess({ schema, policy, rules: { ...all, ...rules } as never, ...compile }),
    identify: createIdentityReader({
      bearer: {
        verify: async (token) =>
          policy.identify(
            policy.roles.includes(token as never) ? { subject: token.toLowerCase(), roles: [token as never] } : null,
          ),
      },
    }),
    observe: { onEvent: (event) => events.push(event) },
    ...options,
  })
  const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
  return {
    url,
    events,
    handler,
    async post(params, headers = {}, init = {}) {
      const all = { 'content-type': json, accept: graphqlResponse, ...headers }
      return read(await fetch(url, { method: 'POST', headers: all, body: JSON.stringify(params), ...init }))
    },
    async get(params, headers = {}) {
      return read(
        await fetch(`${url}?${new URLSearchParams(params)}`, { headers: { accept: graphqlResponse, ...headers } }),
      )
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
