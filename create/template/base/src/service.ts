import { createServer, createTerminalMailer, type ServerStores } from '@latchkey/server'
import { createDevelopmentPages, createFileSecrets } from '@latchkey/server/node'
import { GraphQLError } from 'graphql'
import type { Notes } from './notes.ts'
import { createPolicy } from './policy.ts'

const isProduction = process.env.NODE_ENV === 'production'

/** Every field has a rule: without one the service does not start. */
const typeDefs = /* GraphQL */ `
  type Note {
    id: ID! @public
    text: String! @public
  }

  type Query {
    "The notes of the account that is signed in."
    notes: [Note!]! @requires(permissions: "notes:write")
  }

  type Mutation {
    createNote(text: String!): Note! @requires(permissions: "notes:write")
    updateNote(id: ID!, text: String!): Note!
      @requires(permissions: "notes:write") @owner(of: "notes", argument: "id")
  }
`

export function createService({ stores, notes }: { readonly stores: ServerStores; readonly notes: Notes }) {
  return createServer({
    baseUrl: process.env.PUBLIC_URL ?? 'http://127.0.0.1:4000',
    secrets: createFileSecrets({ path: process.env.SECRET_FILE ?? 'secret.key' }),
    stores,
    // Prints mails with their links. README.md says how to send them.
    mails: { mailer: createTerminalMailer() },
    signUp: { role: 'MEMBER' },
    pages: isProduction ? {} : { development: createDevelopmentPages() },
    policy: createPolicy(notes),
    typeDefs,
    resolvers: {
      Query: {
        notes: (_source, _args, { authorize }) => notes.listOf(authorize({ permissions: 'notes:write' }).subject),
      },
      Mutation: {
        async createNote(_source, { text }: { readonly text: string }, { authorize }) {
          const { subject } = authorize({ permissions: 'notes:write' })
          const note = { id: crypto.randomUUID(), ownerId: subject, text }
          await notes.create(note)
          return note
        },
        async updateNote(_source, { id, text }: { readonly id: string; readonly text: string }) {
          const note = await notes.update(id, text)
          if (note === null) throw new GraphQLError('There is no such note.', { extensions: { code: 'NOT_FOUND' } })
          return note
        },
      },
    },
  })
}
