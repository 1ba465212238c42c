import { AccessError, authDirectives, compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import { fromFetchRequest } from '@latchkey/http'
import { createMcp, type Mcp, type McpOptions } from '@latchkey/mcp'
import { definePolicy, type IdentityInput } from '@latchkey/rbac'
import { buildSchema, GraphQLError, type GraphQLFieldResolver, isObjectType } from 'graphql'

const owners = new Map([
  ['1', 'ada'],
  ['2', 'bob'],
])

export const policy = definePolicy({
  permissions: ['notes:read', 'notes:write', 'notes:delete', 'audit:read'],
  roles: {
    READER: { permissions: ['notes:read'] },
    AUTHOR: { inherits: ['READER'], permissions: ['notes:write'] },
    ADMIN: { inherits: ['AUTHOR'], permissions: ['notes:delete', 'audit:read'] },
  },
  ownership: {
    notes: {
      ownerOf: ({ owner }: { readonly owner: string }) => owner,
      ownersById: async (ids) => new Map(ids.flatMap((id) => (owners.has(id) ? [[id, owners.get(id) ?? '']] : []))),
    },
  },
})

const sdl = /* GraphQL */ `
  scalar DateTime
  enum Color { RED GREEN }
  input Place { line: Int! above: Place, "Of the note." color: Color = RED }
  input One @oneOf { id: ID, title: String }
  interface Node { id: ID! @public }
  "A note."
  type Note implements Node {
    id: ID! @public
    "What it is called."
    title: String @public
    color: Color @public
    tags: [String!]! @public
    at: DateTime @public
  }
  type Person implements Node { id: ID! @public email: String @scope(anyOf: "email") }
  type Query {
    hello: String @public
    notes("How many." first: Int = 10, color: Color): [Note!]! @requires(permissions: "notes:read")
    node(id: ID!): Node @requires(permissions: "notes:read")
    find(by: One!): Note @requires(permissions: "notes:read")
    me: Person @authenticated @scope(anyOf: "openid")
    maybe: Person @authenticated @scope(anyOf: "openid") @orNull
    rare: Note @requires(permissions: "notes:read")
    audit: String @requires(permissions: "audit:read")
    own: String @firstParty
    secret: String @public @credential
    fails: String @requires(permissions: "notes:read")
    asks: String @requires(permissions: "notes:read")
    outage: String @requires(permissions: "notes:read")
    either: String @requires(permissions: [["notes:read", "notes:write"], ["notes:delete"]])
    machines: String @client @requires(permissions: "notes:read")
  }
  type Mutation {
    write(title: String!, at: Place): Note @requires(permissions: "notes:write")
    change(id: ID!, title: String!): Note @requires(permissions: "notes:write") @owner(of: "notes", argument: "id")
    remove(id: ID!): Boolean
      @owner(of: "notes", argument: "id", unless: "notes:delete")
      @scope(anyOf: [["notes:write"], ["notes:delete"]])
    purge: Boolean @requires(permissions: "notes:delete") @stepUp(maxAgeSeconds: 300)
    rename(name: String!): Boolean @authenticated
  }
  type Subscription { ticks: Int @public }
`

type Resolvers = Readonly<Record<string, Readonly<Record<string, (source: never, args: never) => unknown>>>>

/** What mutations and tools did. */
export const effects: string[] = []

const note = { __typename: 'Note', id: '1', title: 'First', color: 'RED', tags: ['a'], at: '2026-11-29T00:00:00Z' }
const resolvers: Resolvers = {
  Query: {
    hello: () => 'Hello',
    notes: (_source: never, { first }: { first: number }) => Array.from({ length: first }, () => note),
    node: () => note,
    me: () => ({ id: 'ada', email: 'ada@example.com' }),
    fails: () => {
      throw new GraphQLError('The note is gone.', { extensions: { code: 'NOT_FOUND' } })
    },
    asks: () => {
      throw new AccessError('FORBIDDEN', { challenge: 'insufficient_scope', scopes: ['a', 'b"', 'c\r\nd: e'] })
    },
    outage: () => {
      throw new Error('password=hunter2')
    },
    either: () => 'either',
    machines: () => 'machine',
  },
  Mutation: {
    write: (_source: never, { title }: { title: string }) => {
      effects.push(`write ${title}`)
      return { ...note, title }
    },
    change: (_source: never, { id, title }: { id: string; title: string }) => {
      effects.push(`change ${id}`)
      return { ...note, id, title }
    },
    remove: (_source: never, { id }: { id: string }) => Boolean(effects.push(`remove ${id}`)),
    purge: () => Boolean(effects.push('purge')),
  },
}

function createSchema() {
  const schema = buildSchema(`${authDirectives} ${sdl}`)
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName)
    if (!isObjectType(type)) throw new Error(`no object type ${typeName}`)
    for (const [name, resolve] of Object.entries(fields)) {
      const field = type.getFields()[name]
      if (field) field.resolve = resolve as unknown as GraphQLFieldResolver<unknown, unknown>
    }
  }
  return schema
}

const access = compileAccess({
  schema: createSchema(),
  policy,
  introspection: 'public',
  limits: { depth: 4, pageSize: 50 },
})

export const publishedScopes = ['openid', 'email', 'notes:read', 'notes:write', 'notes:delete']
export const parts = { access, publishedScopes, resource: 'https://notes.example/mcp' }

/** Returns one tool of a document. */
export const toolOf = (document: string, more: Partial<McpOptions['tools'][number]> = {}) => ({
  document,
  description: 'A tool.',
  ...more,
})

export const tools = [
  toolOf('query listNotes($first: Int = 10) { notes(first: $first) { id title } }', { title: 'List notes' }),
  toolOf('query whoAmI { me { id email } }'),
  toolOf('query sayHello { hello }'),
  toolOf('query either { either }'),
  toolOf('query fails { fails }'),
  toolOf('query outage { outage }'),
  toolOf('query machines { machines }'),
  toolOf('mutation writeNote($title: String!) { write(title: $title) { id title } }', { destructive: false }),
  toolOf('mutation changeNote($id: ID!, $title: String!) { change(id: $id, title: $title) { title } }'),
  toolOf('mutation removeNote($id: ID!) { remove(id: $id) }'),
  toolOf('mutation purge { purge }'),
]

type Call = Parameters<Mcp['respond']>[1]
export type Called = Parameters<Call['called']>[0]

export interface Sender extends Partial<Pick<Call, 'isTokenRefused' | 'limit'>> {
  /** `null`: nobody. */
  readonly identity: IdentityInput | null
  readonly called?: (call: Called) => void
}

/** Returns the endpoint of an identity, and the resource of it, without a server around them. */
export function serve(mcp: Mcp, { identity: input, called, limit, isTokenRefused = false }: Sender) {
  const identity = policy.identify(input)
  const endpoint = createGraphqlHandler({
    access,
    identify: { read: async () => ({ credential: 'bearer', identity }) },
    publishedScopes,
    observe: { onEvent: () => undefined },
  })
  const ask = (body: object) =>
    endpoint.handle(
      fromFetchRequest(
        new Request('https://notes.example/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
          body: JSON.stringify(body),
        }),
      ),
    )
  const call: Call = {
    identity,
    isTokenRefused,
    execute: ask,
    limit: limit ?? (async () => null),
    called: called ?? (() => undefined),
  }
  // A handler of its own would answer what is thrown.
  const fetch = async (request: Request): Promise<Response> => {
    const { status, headers, body } = await mcp.respond(fromFetchRequest(request), call)
    return new Response(String(body ?? ''), {
      status,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
    })
  }
  return { ask, fetch }
}

/** What every request of the revision of 2026 says of its client. */
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

export interface Sent {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member of a response
  readonly body: any
}

/** Sends one message of the revision of 2026. */
export async function send(
  fetch: (request: Request) => Promise<Response>,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> {
  const name = method === 'resources/read' ? params.uri : params.name
  const response = await fetch(
    new Request(parts.resource, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: meta } }),
    }),
  )
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

export const createNotes = (): Mcp => createMcp({ ...parts, tools, initialScopes: ['openid', 'notes:read'] })
