import { DatabaseSync } from 'node:sqlite'
import { definePolicy } from '@latchkey/rbac'
import { createServer, type Server, type ServerOptions } from '@latchkey/server'
import { createSqliteStores } from '@latchkey/sql'
import { createRecoveryCodes, createTotp, type Totp } from '@latchkey/totp'

const policy = definePolicy({
  permissions: ['accounts:read'],
  roles: { MEMBER: {}, ADMIN: { permissions: ['accounts:read'] } },
})

type Given = 'secrets' | 'mails' | 'signIn' | 'observe'

/** A service, and its factor for authenticator apps. A move imports secrets into it, sealed with the keys of the service. */
export interface MovedService {
  readonly server: Server
  openTotp(): Promise<Totp>
}

/** Creates the service for the moved users, with its tables in the SQLite database at the path. */
export function createService(path: string, options: Pick<ServerOptions<typeof policy>, Given>): MovedService {
  let totp: Totp | null = null
  const stores = createSqliteStores({ database: () => new DatabaseSync(path) })
  const server = createServer({
    baseUrl: 'http://127.0.0.1:4000',
    stores, // and `clients`, for buttons on the sign-in page
    signUp: { role: 'MEMBER' },
    policy,
    typeDefs: 'type Query { hello: String! @authenticated }',
    resolvers: { Query: { hello: () => 'You are still you.' } },
    ...options,
    signIn: {
      totp: (parts) => {
        totp = createTotp(parts)
        return totp
      },
      recoveryCodes: createRecoveryCodes,
      providers: {},
      ...options.signIn,
    },
  })
  return {
    server,
    async openTotp() {
      await server.open({ migrate: true })
      await server.accounts()
      if (!totp) throw new Error('the service has not created its factors')
      return totp
    },
  }
}
