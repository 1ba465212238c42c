import { createHttpHandler, createSecurityHeaders, type HttpReply, type HttpRequest } from '@latchkey/http'
import type { Server } from '@latchkey/server'
import { readGraphiql } from './graphiql.ts'
import { createHomePage } from './home-page.ts'

export interface PagesOptions {
  readonly publicUrl: string
  /** GraphiQL is for development only. */
  readonly development: boolean
}

/** Returns the service with its page at `/` and, in development, GraphiQL; everything else is the server's. */
export function withPages(server: Server, { publicUrl, development }: PagesOptions): Server {
  const security = createSecurityHeaders({ https: publicUrl.startsWith('https:') })
  const readPage = async ({ method, target }: HttpRequest): Promise<HttpReply | null> => {
    const path = target.split('?', 1)[0] ?? ''
    if (method !== 'GET' && method !== 'HEAD') return null
    if (path === '/') return createHomePage({ security, publicUrl, development })
    return development ? readGraphiql(path, security) : null
  }
  return { ...server, ...createHttpHandler(async (request) => (await readPage(request)) ?? server.handle(request)) }
}
