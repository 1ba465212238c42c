import { createHttpHandler, createSecurityHeaders, type HttpReply, type HttpRequest } from '@latchkey/http'
import type { Server } from '@latchkey/server'
import { createHomePage } from './home-page.ts'

export interface PagesOptions {
  readonly publicUrl: string
  /** The page leads to GraphiQL, which is for development only. */
  readonly development: boolean
}

/** Returns the service with a page of its own at `/`; everything else is the server's. */
export function withPages(server: Server, { publicUrl, development }: PagesOptions): Server {
  const security = createSecurityHeaders({ https: publicUrl.startsWith('https:') })
  const readPage = ({ method, target }: HttpRequest): HttpReply | null => {
    const isHome = target.split('?', 1)[0] === '/' && (method === 'GET' || method === 'HEAD')
    return isHome ? createHomePage({ security, publicUrl, development }) : null
  }
  return { ...server, ...createHttpHandler(async (request) => readPage(request) ?? server.handle(request)) }
}
