import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createSigner, createVerifier } from 'fast-jwt'
import Fastify from 'fastify'
import mercurius from 'mercurius'
import { type HandStore, openSessionsByHand, type SessionRow } from '../sessions/session-by-hand.ts'
import { baseUrl, permission, resolvers, role, writeSdl } from './service-example.ts'
import type { OpenService } from './service-latchkey.ts'

const secret = 'of the benchmark only: 32 characters'
const issuer = baseUrl

interface User {
  readonly subject: string
  readonly permissions: ReadonlySet<string>
}

type Context = { readonly user: User | null }
type Shown = { readonly headers: { readonly authorization?: string; readonly cookie?: string } }

const permissionsOf = new Map([[role, new Set([permission])]])

/**
 * The fastest that can be written by hand and is right: tokens verified synchronously and remembered, session and account in one
 * read by a prepared statement for each request, a permission asked for in each resolver.
 */
export async function openMercuriusService(store: HandStore, place: string, jit: boolean): Promise<OpenService> {
  const sessions = await openSessionsByHand(store, place)
  const claims = { sub: 'acc_1', sid: sessions.id, role, iss: issuer, aud: issuer }
  const token = createSigner({ key: secret, algorithm: 'HS256', expiresIn: '15m' })(claims)
  const verify = createVerifier({
    key: secret,
    algorithms: ['HS256'],
    allowedIss: issuer,
    allowedAud: issuer,
    cache: true,
  })

  const toContext = (row: SessionRow | null): Context => ({
    user: row && { subject: row.accountId, permissions: permissionsOf.get(row.roles) ?? new Set() },
  })
  const context = ({ headers: { authorization, cookie } }: Shown): Context | Promise<Context> => {
    if (authorization === undefined && cookie === undefined) return { user: null }
    const row =
      authorization === undefined ? sessions.byCookie(cookie) : sessions.byId(verify(authorization.slice(7)).sid)
    return row instanceof Promise ? row.then(toContext) : toContext(row)
  }

  const app = Fastify()
  const schema = writeSdl(() => '')
  app.register(mercurius, { schema, resolvers: { Query: guarded }, jit: jit ? 1 : 0, context: context as never })
  await app.ready()
  app.server.listen(0, '127.0.0.1')
  await once(app.server, 'listening')
  return { port: (app.server.address() as AddressInfo).port, token, cookie: sessions.cookie }
}

const guard =
  (asked: string | null, resolve: (source: unknown, args: never) => unknown) =>
  (source: unknown, args: unknown, context: unknown): unknown => {
    const { user } = context as Context
    if (!user || (asked !== null && !user.permissions.has(asked))) throw new Error('FORBIDDEN')
    return resolve(source, args as never)
  }

const guarded = {
  openUser: resolvers.viewer,
  openNotes: resolvers.notes as never,
  thisUser: guard(null, resolvers.viewer),
  thisNotes: guard(permission, resolvers.notes),
}
