import { createOAuthClient, providers } from '@latchkey/oauth/client'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import type { Registration } from './registration.ts'
import type { Storage } from './storage.ts'

/** Creates an application that signs its users in with the provider, or with a password on the same page. */
export function createApplication(registration: Registration, { stores, secrets }: Storage): Server {
  const { issuer, clientId, clientSecret, redirectUri } = registration
  const lighthouse = createOAuthClient({
    provider: providers.openid({ issuer, name: 'lighthouse' }), // or providers.google, providers.github, …
    clientId,
    clientSecret,
    redirectUri,
    records: stores.records,
    secrets,
  })
  return createServer({
    baseUrl: new URL(redirectUri).origin,
    mails: { mailer: createTerminalMailer() },
    secrets: { load: async () => secrets },
    stores,
    signUp: { role: 'MEMBER' },
    signIn: {
      providers: { clients: { lighthouse }, labels: { lighthouse: 'Lighthouse' }, newAccounts: 'verified-email' },
    },
    policy: definePolicy({ permissions: ['plan:read'], roles: { MEMBER: { permissions: ['plan:read'] } } }),
    pages: { name: 'Harbour' },
    typeDefs: 'type Query { plan: String! @requires(permissions: "plan:read") }',
    resolvers: { Query: { plan: () => 'We meet at the lighthouse.' } },
  })
}
