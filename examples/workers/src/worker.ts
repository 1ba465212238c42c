import { decodeBase64url } from '@latchkey/bytes'
import { definePolicy } from '@latchkey/rbac'
import { createServer, type Server } from '@latchkey/server'
import { createRemoteStores, type ObjectNamespace } from './remote-stores.ts'

export { StoresObject } from './stores-object.ts'

/** The bindings of wrangler.jsonc, and the secrets of `wrangler secret put`. */
interface Environment {
  readonly STORES: ObjectNamespace
  /** The public origin, for example `https://example.com`. */
  readonly BASE_URL: string
  /** 32 random bytes in base64url: the root of all keys. */
  readonly SECRET: string
  /** A Worker, or any other service, that sends mails. */
  readonly MAILS: { fetch(url: string, init: RequestInit): Promise<Response> }
}

const policy = definePolicy({ permissions: ['notes:read'], roles: { MEMBER: { permissions: ['notes:read'] } } })

/** One for each isolate, opened by its first request. */
let server: Server | undefined

function createService({ STORES, BASE_URL, SECRET, MAILS }: Environment): Server {
  const bytes = decodeBase64url(SECRET)
  if (!bytes) throw new TypeError('SECRET must be 32 bytes in base64url')
  return createServer({
    baseUrl: BASE_URL,
    environment: 'production',
    mails: {
      mailer: {
        async send(message) {
          const { ok, status } = await MAILS.fetch('https://mails/', { method: 'POST', body: JSON.stringify(message) })
          if (!ok) throw new Error(`the mail service answered ${status}`)
        },
      },
    },
    secrets: { load: async () => [{ id: 'first', bytes }] },
    stores: createRemoteStores(STORES),
    signUp: { role: 'MEMBER' },
    policy,
    typeDefs: 'type Query { note: String! @requires(permissions: "notes:read") }',
    resolvers: { Query: { note: () => 'Only members read this.' } },
  })
}

export default {
  fetch(
    request: Request,
    environment: Environment,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> {
    server ??= createService(environment)
    const peerAddress = request.headers.get('cf-connecting-ip')
    // Mails leave after the answer: the platform waits for them.
    return server.fetch(request, { peerAddress, waitUntil: (work) => context.waitUntil(work) })
  },
}
