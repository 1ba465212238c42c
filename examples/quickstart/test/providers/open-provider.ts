import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { toNodeListener } from '@latchkey/http/node'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { definePolicy } from '@latchkey/rbac'
import { createServer } from '@latchkey/server'
import { openStores, passwords } from '../links/link-process.ts'
import { temporaryDirectory } from '../support/start-quickstart.ts'
import { clientOf } from './provider-process.ts'

/** A service of its own at which users of other services sign in, on a socket of this machine. */
export interface OpenProvider {
  readonly issuer: string
  /** Opens an account that is signed in, and returns how its browser follows an address of the provider. */
  openUser(): Promise<{ readonly email: string; visit(address: string): Promise<string> }>
  close(): Promise<void>
}

const password = 'otters read quietly at dawn'

export async function openProvider(): Promise<OpenProvider> {
  const folder = await temporaryDirectory()
  const { stores, close } = openStores({ database: join(folder, 'provider.db'), redisUrl: null })
  await stores.migrate()
  const http = createHttpServer().listen(0, '127.0.0.1')
  await once(http, 'listening')
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const { clientId: id, clientSecret: secret, redirectUri } = clientOf
  const server = createServer({
    ...{ baseUrl: issuer, stores, policy: definePolicy({ permissions: [], roles: { READER: {} } }) },
    signIn: { ...{ passwordHasher: passwords } },
    typeDefs: 'type Query { hello: String! @public }',
    resolvers: { Query: { hello: () => 'Hello' } },
    secrets: { load: async () => [{ id: 'one', bytes: randomBytes(32) }] },
    mails: { mailer: { send: async () => undefined } },
    signUp: 'closed',
    oauth: (parts) =>
      createAuthorizationServer({
        ...parts,
        consent: () => 'granted',
        fixedClients: [
          {
            ...{ id, secret, name: 'Service', authentication: ['client_secret_basic'] },
            redirectUris: [redirectUri],
            scopes: ['openid', 'profile', 'email'],
          },
        ],
      }),
  })
  http.on('request', toNodeListener(server))
  const passwordHash = await passwords.hash(password)

  async function signIn(email: string): Promise<string> {
    const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { status } }'
    const body = JSON.stringify({ query, variables: { input: { email, password } } })
    const headers = { 'content-type': 'application/json' }
    const response = await server.fetch(new Request(`${issuer}/graphql`, { method: 'POST', headers, body }))
    return response.headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0])
      .join('; ')
  }

  return {
    issuer,
    async openUser() {
      const email = `ada-${randomUUID()}@example.com`
      const account = { id: `acc_${randomUUID()}`, email, name: 'Ada', roles: ['READER'], passwordHash, epoch: 0 }
      await stores.accounts.insert({ ...account, status: 'active' })
      const cookie = await signIn(email)
      return {
        email,
        async visit(address) {
          const response = await server.fetch(new Request(address, { headers: { cookie } }))
          const location = response.headers.get('location')
          if (location?.startsWith(redirectUri)) return location
          throw new Error(`no callback: ${response.status} ${location} ${await response.text()}`)
        },
      }
    },
    async close() {
      http.close()
      http.closeAllConnections()
      await server.close()
      await close()
      rmSync(folder, { recursive: true })
    },
  }
}
