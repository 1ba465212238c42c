import { createHttpHandler, createSecurityHeaders, type HttpReply, type HttpRequest } from '@latchkey/http'
import type { Server } from '@latchkey/server'
import { createHomePage } from './home-page.ts'

export interface PagesOptions {
  readonly publicUrl: string
  /** The page leads to GraphiQL, which is for development only. */
  readonly development: boolean
}

/**
 * Returns the service with a page of its own at `/`. The server is asked first, because it refuses hosts that are not
 * served; everything else is the server's.
 */
export function withPages(server: Server, { publicUrl, development }: PagesOptions): Server {
  const security = createSecurityHeaders({ https: publicUrl.startsWith('https:') })
  const readPage = ({ method, target }: HttpRequest): HttpReply | null => {
    const isHome = target.split('?', 1)[0] === '/' && (method === 'GET' || method === 'HEAD')
    return isHome ? createHomePage({ security, publicUrl, development }) : null
  }
  return {
    ...server,
    ...createHttpHandler(async (request) => {
      const reply = await server.handle(request)
      if (reply.status === 421) return nameSetting(reply)
      return reply.status === 400 ? reply : (readPage(request) ?? reply)
    }),
  }
}

/** Here the setting is a variable. */
function nameSetting(reply: HttpReply): HttpReply {
  const { body } = reply
  return typeof body === 'string' ? { ...reply, body: body.replace('allowedHosts', 'ALLOWED_HOSTS') } : reply
}
