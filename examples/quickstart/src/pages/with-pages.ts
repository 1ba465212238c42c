import { createHttpHandler, createSecurityHeaders, type HttpRequest, type HttpResponse } from '@latchkey/http'
import type { Server } from '@latchkey/server'
import type { FrontEnd } from './front-end.ts'

export interface PagesOptions {
  readonly publicUrl: string
  readonly frontEnd: FrontEnd
}

/**
 * Returns the service with its front end at `/` and below `/app/`. The server answers first, because it rejects hosts that
 * are not served; all other paths are the server's.
 */
export function withPages(server: Server, { publicUrl, frontEnd }: PagesOptions): Server {
  const security = createSecurityHeaders({ https: publicUrl.startsWith('https:') })
  const answer = ({ method, target }: HttpRequest): HttpResponse | null => {
    const [path = ''] = target.split('?', 1)
    if (method !== 'GET' && method !== 'HEAD') return null
    const file = frontEnd.files.get(path)
    if (file) {
      const headers = [['content-type', file.type], ['cache-control', forever], ...security.api] as const
      return { status: 200, headers, body: file.body }
    }
    if (path !== '/' && !/^\/app\/(?!assets\/)/.test(path)) return null
    const nonce = security.newNonce()
    const headers = [['content-type', 'text/html; charset=utf-8'], ...security.page(nonce)] as const
    return { status: 200, headers, body: frontEnd.page(nonce) }
  }
  return {
    ...server,
    ...createHttpHandler(async (request) => {
      const response = await server.handle(request)
      if (response.status === 421) return nameSettings(response)
      return response.status === 400 ? response : (answer(request) ?? response)
    }),
  }
}

/** The name of a file changes with its content. */
const forever = 'public, max-age=31536000, immutable'

/** Replaces the settings in the message by the variables of this service. */
function nameSettings(response: HttpResponse): HttpResponse {
  const { body } = response
  if (typeof body !== 'string') return response
  return {
    ...response,
    body: body
      .replaceAll('baseUrl', 'PUBLIC_URL')
      .replace('http.allowedOrigins', 'ALLOWED_ORIGINS')
      .replace('http.allowedHosts', 'ALLOWED_HOSTS'),
  }
}
