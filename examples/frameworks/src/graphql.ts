import { setTimeout as wait } from 'node:timers/promises'
import { makeExecutableSchema } from '@graphql-tools/schema'
import { randomBytes } from '@latchkey/bytes'
import {
  AccessError,
  type AuthContext,
  authDirectives,
  compileAccess,
  createGraphqlHandler,
  createSubscriptions,
  type Resolvers,
} from '@latchkey/graphql'
import { createStreamHandler, type StreamHandler } from '@latchkey/graphql/sse'
import {
  createAddressReader,
  createForgeryCheck,
  createIdentityReader,
  createSessionCookie,
  type HttpRequest,
} from '@latchkey/http'
import { hashPassword, verifyPassword } from '@latchkey/password'
import { definePolicy } from '@latchkey/rbac'
import { createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'

// Your own: a table of accounts, a store that outlives the process, a secret that is kept.
const accounts = [
  { id: 'acc_1', email: 'ada@example.com', roles: ['READER'], token: 'token-of-ada' },
  { id: 'acc_2', email: 'grace@example.com', roles: ['ADMIN'], token: 'token-of-grace' },
]
const passwordHash = await hashPassword('otters read quietly at dawn')
const sessions = createSessions({ records: createMemoryRecordStore() })
const forgery = createForgeryCheck({
  origins: ['http://127.0.0.1:4000'],
  secrets: [{ id: '1', bytes: randomBytes(32) }],
})

const policy = definePolicy({
  permissions: ['notes:read', 'accounts:read'],
  roles: {
    READER: { permissions: ['notes:read'] },
    ADMIN: { inherits: ['READER'], permissions: ['accounts:read'] },
  },
})
const typeDefs = `${authDirectives}
  type Query {
    hello: String! @public
    address: String @public
    notes: [String!]! @requires(permissions: "notes:read")
    accounts: [String!]! @requires(permissions: "accounts:read")
    report: String! @authenticated
  }
  type Mutation { signIn(email: String!, password: String!): Boolean! @public @credential }
  type Subscription { noteAdded: String! @requires(permissions: "notes:read") }`

/** The context of resolvers: Latchkey's part, and the result of `context` below. */
type Context = AuthContext<typeof policy> & { readonly address: string | null }

/** The reports that are being made. */
export const reports = { running: 0 }

const resolvers: Resolvers<Context> = {
  Query: {
    hello: () => 'Hello',
    address: (_source, _args, { address }) => address,
    notes: () => ['Buy milk'],
    accounts: () => accounts.map(({ email }) => email),
    async report(_source, _args, { signal }) {
      reports.running += 1
      // No report is made for a client that has gone.
      return await wait(60_000, 'The report', { signal }).finally(() => {
        reports.running -= 1
      })
    },
  },
  Mutation: {
    async signIn(_source, { email, password }: { email: string; password: string }, { response, establish }) {
      const account = accounts.find((one) => one.email === email)
      const { ok } = await verifyPassword(password, account ? passwordHash : null)
      if (!ok || !account) throw new AccessError('INVALID_CREDENTIALS')
      const factors = [{ kind: 'password', at: Date.now() }]
      const issued = await sessions.create({ subject: account.id, factors })
      if (!issued) throw new AccessError('INVALID_CREDENTIALS')
      response.setCookie(cookie.write(issued.credential))
      establish(policy.identify({ subject: account.id, roles: account.roles, key: issued.session.key }))
      return true
    },
  },
  Subscription: { noteAdded: { subscribe: addNotes } },
}

/** Two notes, and the end of the stream. */
async function* addNotes() {
  for (const noteAdded of ['Buy milk', 'Feed the otters']) yield { noteAdded }
}

const cookie = createSessionCookie()
const addresses = createAddressReader({ trustedProxies: ['10.0.0.0/8'] })

const options = {
  access: compileAccess({ schema: makeExecutableSchema({ typeDefs, resolvers }), policy }),
  identify: createIdentityReader({
    cookie: {
      cookie,
      async verify(credential: string, request: Pick<HttpRequest, 'waitUntil'>) {
        const session = await sessions.read(credential, request)
        const account = accounts.find(({ id }) => id === session?.subject)
        return session && account
          ? policy.identify({ subject: account.id, roles: account.roles, key: session.key })
          : null
      },
    },
    bearer: {
      async verify(token: string) {
        const account = accounts.find((one) => one.token === token)
        return account ? policy.identify({ subject: account.id, roles: account.roles }) : null
      },
    },
  }),
  forgery,
  cookies: [cookie],
  context: (_base: AuthContext<typeof policy>, request: HttpRequest) => ({ address: addresses.read(request) }),
}

/** For `/graphql`. */
export const graphql = createGraphqlHandler(options)

/** For `/graphql/stream`: subscriptions over server-sent events. */
export const streams: StreamHandler = createStreamHandler({ subscriptions: createSubscriptions(options) })
