import { createServer, type IncomingMessage, type Server } from 'node:http'
import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { createVerifier } from 'fast-jwt'
import Fastify from 'fastify'
import { buildSchema, type DirectiveNode } from 'graphql'
import { createHandler } from 'graphql-http/lib/use/http'
import { createSchema, createYoga } from 'graphql-yoga'
import { jwtVerify } from 'jose'
import mercurius from 'mercurius'
import mercuriusAuth from 'mercurius-auth'
import { audience, type Example, guardResolvers, issuer, role, secret, withResolvers } from './example.ts'

/** The part of a user that the resolvers of the peers need. */
interface User {
  readonly subject: string
  readonly permissions: ReadonlySet<string>
}

const permissionsOf = new Map([[role, new Set(['notes:read', 'memos:manage'])]])

function userOf({ sub, role: held }: { readonly sub?: string; readonly role?: unknown }): User | null {
  return sub === undefined ? null : { subject: sub, permissions: permissionsOf.get(String(held)) ?? new Set() }
}

function allows(context: unknown, asked: string | null): boolean {
  const { user } = context as { readonly user?: User | null }
  return user ? asked === null || user.permissions.has(asked) : false
}

const noDirectives = (): string => ''

async function verifyByJose(authorization: string | undefined): Promise<{ user: User | null }> {
  if (authorization === undefined) return { user: null }
  const { payload } = await jwtVerify(authorization.slice(7), secret, { issuer, audience, algorithms: ['HS256'] })
  return { user: userOf(payload) }
}

/** The least that does the job: the body parsed, an object answered. */
export async function createLimit({ answer }: Example): Promise<Server> {
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => {
        const body = JSON.stringify(answer(JSON.parse(Buffer.concat(chunks).toString())))
        const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) }
        response.writeHead(200, headers).end(body)
      })
  })
}

export async function createBareHandler({ sdl, resolvers }: Example): Promise<Server> {
  return createServer(createHandler({ schema: withResolvers(buildSchema(sdl(noDirectives)), resolvers) }))
}

export async function createHandlerWithJose(example: Example): Promise<Server> {
  const schema = withResolvers(buildSchema(example.sdl(noDirectives)), guardResolvers(example, allows))
  return createServer(createHandler({ schema, context: ({ raw }) => verifyByJose(raw.headers.authorization) }))
}

const verifyByFastJwt = createVerifier({
  key: Buffer.from(secret),
  algorithms: ['HS256'],
  allowedIss: issuer,
  allowedAud: audience,
  cache: true,
})
const contextByFastJwt = ({ headers }: { readonly headers: { readonly authorization?: string } }) => ({
  user: userOf(verifyByFastJwt(headers.authorization?.slice(7) ?? '')),
})

/** The fastest that it can be: tokens verified synchronously and remembered, permissions asked for by hand in each resolver. */
export async function createMercuriusByHand(example: Example, jit: boolean): Promise<Server> {
  const app = Fastify()
  const context = contextByFastJwt as never
  const resolvers = guardResolvers(example, allows) as never
  app.register(mercurius, { schema: example.sdl(noDirectives), resolvers, jit: jit ? 1 : 0, context })
  await app.ready()
  return app.server
}

/** With the plugin that it has for this: permissions in the schema. */
export async function createMercuriusAuth({ sdl, resolvers }: Example, jit: boolean): Promise<Server> {
  const app = Fastify()
  const directive = (asked: string | null): string => (asked === null ? '@auth' : `@auth(permission: "${asked}")`)
  app.register(mercurius, {
    schema: `directive @auth(permission: String) on FIELD_DEFINITION ${sdl(directive)}`,
    resolvers: resolvers as never,
    jit: jit ? 1 : 0,
  })
  app.register(mercuriusAuth.default, {
    authDirective: 'auth',
    authContext: ({ reply }) => contextByFastJwt(reply.request as never),
    async applyPolicy(directiveNode, _parent, _args, { auth }) {
      const [asked] = (directiveNode as DirectiveNode).arguments ?? []
      return allows(auth, asked?.value.kind === 'StringValue' ? asked.value.value : null)
    },
  })
  await app.ready()
  return app.server
}

export async function listenApollo(example: Example): Promise<number> {
  const resolvers = guardResolvers(example, allows) as never
  const apollo = new ApolloServer({ typeDefs: example.sdl(noDirectives), resolvers })
  const context = ({ req }: { readonly req: IncomingMessage }) => verifyByJose(req.headers.authorization)
  const { url } = await startStandaloneServer(apollo, { listen: { port: 0, host: '127.0.0.1' }, context })
  return Number(new URL(url).port)
}

export async function createYogaServer(example: Example): Promise<Server> {
  const resolvers = guardResolvers(example, allows) as never
  const yoga = createYoga({
    schema: createSchema({ typeDefs: example.sdl(noDirectives), resolvers }),
    context: ({ request }) => verifyByJose(request.headers.get('authorization') ?? undefined),
    logging: false,
  })
  return createServer(yoga)
}
