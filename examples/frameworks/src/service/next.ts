import type { Server } from '@latchkey/server'

type Method = 'GET' | 'HEAD' | 'POST' | 'OPTIONS'
type Route = (request: Request) => Promise<Response>

/**
 * `app/[...path]/route.ts`: `export const { GET, HEAD, POST, OPTIONS } = createRoute(server)`. Next.js prefers pages and routes of
 * yours that are more specific, and this one answers whatever else there is: what the service does not serve is 404.
 */
export function createRoute(server: Server): Readonly<Record<Method, Route>> {
  const answer: Route = async (request) =>
    server.serves(new URL(request.url).pathname) ? server.fetch(request) : new Response(null, { status: 404 })
  return { GET: answer, HEAD: answer, POST: answer, OPTIONS: answer }
}
