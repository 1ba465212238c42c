import { createHttpHandler, createSecurityHeaders, type HttpRequest, type HttpResponse } from '@latchkey/http'
import type { Server } from '@latchkey/server'
import type { DemoOperation } from './demo-operations.ts'
import { createHomePage } from './home-page.ts'

export interface PagesOptions {
  readonly publicUrl: string
  /** Reads the operations that the page opens in GraphiQL; `null` in production. */
  readonly readOperations: (() => Promise<readonly DemoOperation[]>) | null
}

/**
 * Returns the service with its home page at `/`. The server answers first, because it rejects hosts that are not served; all
 * other paths are the server's.
 */
export function withPages(server: Server, { publicUrl, readOperations }: PagesOptions): Server {
  const security = createSecurityHeaders({ https: publicUrl.startsWith('https:') })
  const readPage = async ({ method, target }: HttpRequest): Promise<HttpResponse | null> => {
    const isHome = target.split('?', 1)[0] === '/' && (method === 'GET' || method === 'HEAD')
    if (!isHome) return null
    // While the database is away the page has no operations on its articles.
    const ruleOperations = readOperations && (await readOperations().catch(() => []))
    return createHomePage({ security, publicUrl, ruleOperations })
  }
  return {
    ...server,
    ...createHttpHandler(async (request) => {
      const response = await server.handle(request)
      if (response.status === 421) return nameSettings(response)
      return response.status === 400 ? response : ((await readPage(request)) ?? response)
    }),
  }
}

/** Here the settings are variables. */
function nameSettings(response: HttpResponse): HttpResponse {
  const { body } = response
  if (typeof body !== 'string') return response
  return {
    ...response,
    body: body.replace('allowedOrigins', 'ALLOWED_ORIGINS').replace('allowedHosts', 'ALLOWED_HOSTS'),
  }
}
