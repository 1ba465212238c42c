import { createServer, type Server } from 'node:http'
import { compileAccess, createGraphqlHandler, type GraphqlHandler } from '@latchkey/graphql'
import { createForgeryCheck, createIdentityReader, createSessionCookie } from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { createJwtVerifier, createKeyRing, importJwtKey } from '@latchkey/jwt'
import { definePolicy, type RuleOf } from '@latchkey/rbac'
import { buildSchema } from 'graphql-17'
import { audience, type Example, issuer, role, secret, withResolvers } from './example.ts'

const permissions = ['notes:read', 'memos:manage'] as const
const policy = definePolicy({ permissions, roles: { [role]: { permissions } } })

type Rule = RuleOf<typeof policy>
type Permission = (typeof permissions)[number]

function rulesFor({ fields, guarded }: Example, who: LatchkeyOptions['who']): Record<string, Rule> {
  const ruleOf = (field: string): Rule => {
    const asked = who === 'public' ? undefined : guarded[field]
    if (asked === undefined) return 'public'
    return asked === null ? 'authenticated' : { permissions: asked as Permission }
  }
  return Object.fromEntries(fields.map((field) => [field, ruleOf(field)]))
}

export interface LatchkeyOptions {
  readonly who: 'public' | 'readers'
}

export async function createLatchkey(example: Example, options: LatchkeyOptions): Promise<Server> {
  return createServer(toNodeListener(await createLatchkeyHandler(example, options)))
}

/** The whole handler: rules on every field, tokens and sessions, the check of origins. */
export async function createLatchkeyHandler(example: Example, { who }: LatchkeyOptions): Promise<GraphqlHandler> {
  const key = await importJwtKey({ id: '1', algorithm: 'HS256', bytes: secret })
  const verifier = createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys: createKeyRing({ keys: [key] }) })
  const cookie = createSessionCookie()
  const schema = withResolvers(buildSchema(example.sdl(() => '')), example.resolvers)
  return createGraphqlHandler({
    access: compileAccess({ schema, policy, rules: rulesFor(example, who) }),
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
}
