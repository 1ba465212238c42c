import { createServer, type Server } from 'node:http'
import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import { createForgeryCheck, createIdentityReader, createSessionCookie } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { createJwtVerifier, createKeyRing, importJwtKey } from '@latchkey/jwt'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema } from 'graphql-17'
import { audience, issuer, sdl, secret, withResolvers } from './graphql-example.ts'

const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
const types = {
  'User.id': 'public',
  'User.name': 'public',
  'Note.id': 'public',
  'Note.title': 'public',
  'Note.author': 'public',
} as const
const rulesFor = {
  public: { ...types, 'Query.viewer': 'public', 'Query.notes': 'public' },
  readers: { ...types, 'Query.viewer': 'authenticated', 'Query.notes': { permissions: 'notes:read' } },
} as const

export interface LatchkeyOptions {
  readonly who: 'public' | 'readers'
}

/** The whole handler: rules on every field, tokens and sessions, the check of origins. */
export async function createLatchkey({ who }: LatchkeyOptions): Promise<Server> {
  const key = await importJwtKey({ id: '1', algorithm: 'HS256', bytes: secret })
  const verifier = createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys: createKeyRing({ keys: [key] }) })
  const cookie = createSessionCookie()
  const handler = createGraphqlHandler({
    access: compileAccess({ schema: withResolvers(buildSchema(sdl)), policy, rules: rulesFor[who] }),
    identify: createIdentityReader({
      cookie: { cookie, verify: async () => null },
      bearer: {
        async verify(token) {
          const verdict = await verifier.verify(token)
          return verdict.ok
            ? policy.identify({ subject: verdict.claims.sub, roles: [verdict.claims.role ?? ''] })
            : null
        },
      },
    }),
    forgery: createForgeryCheck({ origins: ['https://example.com'], secrets: [{ id: '1', bytes: secret }] }),
    cookies: [cookie],
  })
  return createServer(toNodeListener(handler))
}
