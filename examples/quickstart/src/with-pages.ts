import { createHttpHandler, createSecurityHeaders, type HttpReply, type HttpRequest } from '@latchkey/http'
import type { Server } from '@latchkey/server'
import { readGraphiql } from './graphiql.ts'
import { createHomePage } from './home-page.ts'

export interface PagesOptions {
  readonly publicUrl: string
  /** GraphiQL is for development only. */
  readonly development: boolean
}

/**
 * Returns the service with its page at `/` and, in development, GraphiQL. The server is asked first: it refuses hosts that
 * are not served, and has nothing at these paths.
 */
export function withPages(server: Server, { publicUrl, development }: PagesOptions): Server {
  const security = createSecurityHeaders({ https: publicUrl.startsWith('https:') })
  const readPage = async ({ method, target }: HttpRequest): Promise<HttpReply | null> => {
    const path = target.split('?', 1)[0] ?? ''
    if (method !== 'GET' && method !== 'HEAD') return null
    if (path === '/') return createHomePage({ security, publicUrl, development })
    return development ? readGraphiql(path, security) : null
  }
  return {
    ...server,
    ...createHttpHandler(async (request) => {
      const reply = await server.handle(request)
      if (reply.status === 404) return (await readPage(request)) ?? reply
      return reply.status === 421 ? nameSetting(reply) : reply
    }),
  }
}

/** Here the setting is a variable. */
function nameSetting(reply: HttpReply): HttpReply {
  const { body } = reply
  return typeof body === 'string' ? { ...reply, body: body.replace('allowedHosts', 'ALLOWED_HOSTS') } : reply
}
