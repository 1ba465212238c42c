import { makeExecutableSchema } from '@graphql-tools/schema'
import {
  type AuthContext,
  authDirectives,
  compileAccess,
  createGraphqlHandler,
  type Resolvers,
} from '@latchkey/graphql'
import { createIdentityReader } from '@latchkey/http'
import { definePolicy } from '@latchkey/rbac'

const notes = new Map([
  ['1', { id: '1', text: 'Buy milk', ownerId: 'acc_1' }],
  ['2', { id: '2', text: 'Call Ada', ownerId: 'acc_2' }],
])

const policy = definePolicy({
  permissions: ['notes:read', 'notes:update', 'ownership:bypass'],
  roles: {
    READER: { permissions: ['notes:read'] },
    AUTHOR: { inherits: ['READER'], permissions: ['notes:update'] },
  },
  ownership: {
    notes: {
      ownersById: async (ids) =>
        new Map([...notes.values()].filter(({ id }) => ids.includes(id)).map(({ id, ownerId }) => [id, ownerId])),
    },
  },
})

const typeDefs = /* GraphQL */ `${authDirectives}
  type Note { id: ID! @public, text: String! @public }
  type Query {
    hello: String! @public
    viewer: String! @authenticated
    notes: [Note!]! @requires(permissions: "notes:read")
    broken: Int @public
  }
  type Mutation {
    updateNote(id: ID!, text: String!): Note!
      @requires(permissions: "notes:update") @owner(of: "notes", argument: "id")
  }`

const resolvers: Resolvers<AuthContext<typeof policy>> = {
  Query: {
    hello: () => 'Hello',
    viewer: (_source, _args, { identity }) => identity?.subject,
    notes: () => [...notes.values()],
    broken() {
      throw new Error('10.0.0.7 refused')
    },
  },
  Mutation: {
    updateNote(_source, { id, text }: { id: string; text: string }) {
      const note = notes.get(id)
      if (note) note.text = text
      return note
    },
  },
}

export const access = compileAccess({ schema: makeExecutableSchema({ typeDefs, resolvers }), policy })

const accounts = new Map([
  ['token-of-reader', { subject: 'acc_3', roles: ['READER'] }],
  ['token-of-author', { subject: 'acc_1', roles: ['AUTHOR'] }],
])

/** Decides and answers an operation. Yours: verify the token as you do. */
export const handler = createGraphqlHandler({
  access,
  identify: createIdentityReader({ bearer: { verify: async (token) => policy.identify(accounts.get(token)) } }),
})
