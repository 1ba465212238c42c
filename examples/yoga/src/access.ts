import { makeExecutableSchema } from '@graphql-tools/schema'
import { AccessError, type AuthContext, authDirectives, compileAccess, type Resolvers } from '@latchkey/graphql'
import { createIdentityReader } from '@latchkey/http'
import { definePolicy } from '@latchkey/rbac'

interface Note {
  readonly id: string
  readonly text: string
  readonly ownerId: string
}
const notes = new Map<string, Note>([
  ['1', { id: '1', text: 'Buy milk', ownerId: 'acc_1' }],
  ['2', { id: '2', text: 'Call Ada', ownerId: 'acc_2' }],
])

const policy = definePolicy({
  permissions: ['notes:read', 'notes:update', 'ownership:bypass'],
  roles: {
    READER: { permissions: ['notes:read'] },
    AUTHOR: { inherits: ['READER'], permissions: ['notes:update'] },
    ADMIN: { inherits: ['AUTHOR'], permissions: ['ownership:bypass'] },
  },
  ownership: {
    notes: {
      ownerOf: (note: Note) => note.ownerId,
      ownersById: async (ids) =>
        new Map(
          ids.flatMap((id) => {
            const note = notes.get(id)
            return note ? [[id, note.ownerId] as const] : []
          }),
        ),
    },
  },
})

const typeDefs = `${authDirectives}
  type Note { id: ID! @public, text: String @owner(of: "notes") }
  type Query {
    hello: String! @public
    viewer: String! @authenticated
    notes: [Note!]! @requires(permissions: "notes:read")
    note(id: ID!): Note @requires(permissions: "notes:read")
    busy: Int @public
    broken: Int @public
    unreachable: Int @public
  }
  type Mutation {
    updateNote(id: ID!, text: String!): Note! @requires(permissions: "notes:update") @owner(argument: "id")
    publish(id: ID!): Boolean! @authenticated @stepUp(maxAgeSeconds: 300)
    signIn(password: String!): Boolean! @public @credential
  }
  type Subscription { ticks: Int! @public }`

/** The names of the mutations that ran. */
export const ran: string[] = []

const resolvers: Resolvers<AuthContext<typeof policy>> = {
  Query: {
    hello: () => 'Hello',
    viewer: (_source, _args, { identity }) => identity?.subject,
    notes: () => [...notes.values()],
    busy() {
      throw new AccessError('RATE_LIMITED', { retryAfterSeconds: 7 })
    },
    broken() {
      throw new Error('10.0.0.7 refused')
    },
    unreachable() {
      throw Object.assign(new Error('10.0.0.7 refused'), { code: 'STORE_UNAVAILABLE' })
    },
    note: (_source, { id }: { id: string }) => notes.get(id) ?? null,
  },
  Mutation: {
    updateNote(_source, { id }: { id: string }) {
      ran.push('updateNote')
      return notes.get(id)
    },
    publish: () => ran.push('publish') > 0,
    signIn: () => ran.push('signIn') > 0,
  },
  Subscription: {
    ticks: {
      async *subscribe() {
        yield { ticks: 1 }
      },
    },
  },
}

export const access = compileAccess({
  schema: makeExecutableSchema({ typeDefs, resolvers }),
  policy,
})

const accounts = new Map([
  ['token-of-reader', { subject: 'acc_3', roles: ['READER'] }],
  ['token-of-author', { subject: 'acc_1', roles: ['AUTHOR'] }],
  ['token-of-admin', { subject: 'acc_4', roles: ['ADMIN'] }],
])

/** Yours: verify the token as you do. */
export const identify = createIdentityReader({
  bearer: { verify: async (token) => policy.identify(accounts.get(token)) },
})
