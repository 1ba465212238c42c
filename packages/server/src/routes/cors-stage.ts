import { allowAnyOrigin, type Cors, createCors, type HttpReply, type HttpRequest } from '@latchkey/http'
import type { OpenableService as Site } from '../service/openable-service.ts'

/** Public keys are the same for all. */
const everyPage = createCors({ origins: allowAnyOrigin })

/**
 * The routes whose replies pages of other origins may read, by the path in the table of routes, and which pages those are.
 * All others are closed to them.
 */
const sharedRoutes: ReadonlyMap<string, (site: Site) => Cors> = new Map<string, (site: Site) => Cors>([
  ['/graphql', ({ cors }) => cors],
  ['/graphql/stream', ({ cors }) => cors],
  ['/jwks', () => everyPage],
])

/**
 * Answers a route, for the pages of other origins too: their preflights before anything is opened or looked up, and with
 * the headers that let a listed origin read the reply, a refusal too.
 */
export async function answerShared(
  path: string,
  { request, site }: { readonly request: HttpRequest; readonly site: Site },
  answer: () => Promise<HttpReply>,
): Promise<HttpReply> {
  const cors = sharedRoutes.get(path)?.(site)
  if (!cors) return answer()
  const preflight = cors.preflight(request)
  if (preflight) return { ...preflight, headers: [...preflight.headers, ...site.security.api] }
  return cors.share(request, await answer())
}
