import type { Server } from '@latchkey/server'

type Method = 'GET' | 'HEAD' | 'POST' | 'OPTIONS'
type Route = (request: Request) => Promise<Response>

/**
 * `app/[...path]/route.ts`: `export const { GET, HEAD, POST, OPTIONS } = createRoute(server)`. Next.js prefers your more
 * specific pages and routes. This route answers all other paths, with 404 if the service does not serve them.
 */
export function createRoute(server: Server): Readonly<Record<Method, Route>> {
  const answer: Route = async (request) =>
    server.serves(new URL(request.url).pathname) ? server.fetch(request) : new Response(null, { status: 404 })
  return { GET: answer, HEAD: answer, POST: answer, OPTIONS: answer }
}
