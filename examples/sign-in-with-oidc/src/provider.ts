import { createAuthorizationServer } from '@latchkey/oauth/server'
import { definePolicy } from '@latchkey/rbac'
import { createServer, createTerminalMailer, type Server } from '@latchkey/server'
import type { Registration } from './registration.ts'
import type { Storage } from './storage.ts'

/** Has the accounts, and signs their owners in at one client, as Google would. */
export function createProvider(registration: Registration, { stores, secrets }: Storage): Server {
  const { issuer, clientId, clientSecret, redirectUri, logoutUri } = registration
  return createServer({
    baseUrl: issuer,
    mails: { mailer: createTerminalMailer() },
    secrets: { load: async () => secrets },
    stores,
    signUp: { role: 'MEMBER' },
    policy: definePolicy({ permissions: [], roles: { MEMBER: {} } }),
    pages: { name: 'Lighthouse' },
    typeDefs: 'type Query { hello: String! @public }',
    resolvers: { Query: { hello: () => 'I say who you are.' } },
    oauth: (parts) =>
      createAuthorizationServer({
        ...parts,
        fixedClients: [
          {
            id: clientId,
            secret: clientSecret,
            name: 'Harbour',
            authentication: ['client_secret_basic'],
            redirectUris: [redirectUri],
            backchannelLogoutUri: logoutUri,
            scopes: ['openid', 'profile', 'email'],
          },
        ],
      }),
  })
}
