import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { ServerContext } from './server-context.ts'

/** What answers at one path. */
export interface Endpoint {
  readonly path: string
  /** Every other method is answered 405. HEAD counts as GET, but at pages. */
  readonly methods: readonly ('GET' | 'POST')[]
  /** Whether people see what it answers: a failure is a page then. */
  readonly isPage?: boolean
  /** Which pages of other origins may read what it answers: those of every origin, or of clients. Omitted: none. */
  readonly isOpenTo?: 'all' | 'clients'
  answer(context: ServerContext, request: HttpRequest): Promise<HttpResponse>
}
