import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { ServerContext } from './server-context.ts'

/** The handler of a path. */
export interface Endpoint {
  readonly path: string
  /** The allowed methods. Other methods get status 405. HEAD counts as GET, except for pages. */
  readonly methods: readonly ('GET' | 'POST')[]
  /** Whether people read the responses. A failure is then a page. */
  readonly isPage?: boolean
  /** The origins whose pages may read the responses: all origins, or the origins of clients. Omitted: only the own origin. */
  readonly isOpenTo?: 'all' | 'clients'
  answer(context: ServerContext, request: HttpRequest): Promise<HttpResponse>
}
