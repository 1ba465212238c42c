import { createSecurityHeaders, type HttpResponse } from '@latchkey/http'
import type { ProtocolError, Refusal } from './refusal.ts'

type Headers = HttpResponse['headers']

/** The forms of responses. All have the security headers for browsers. */
export interface Responses {
  /** A response in JSON that must not be stored. */
  json(status: number, value: object, headers?: Headers): HttpResponse
  /** A document in JSON that caches may keep for a while. */
  document(value: object, maxAgeSeconds: number): HttpResponse
  /** A request that broke a rule (RFC 6749 §5.2), in JSON: 400, 401, 403, 500 or 503. */
  refusal(refusal: Refusal, headers?: Headers): HttpResponse
  /** 303, so that the browser does not post the form again (RFC 9700 §4.12). */
  redirect(location: string, headers?: Headers): HttpResponse
  /** A page, never stored and never framed. `formTargets`: further sources for `form-action`. */
  page(status: number, html: (nonce: string) => string, options?: PageOptions): HttpResponse
  /** 405 with the allowed methods. */
  notAllowed(methods: readonly string[]): HttpResponse
}

export interface PageOptions {
  readonly headers?: Headers
  readonly formTargets?: readonly string[]
  /**
   * Whether a page keeps its opener, as a page with `formTargets` does.
   * @default false
   */
  readonly keepsOpener?: boolean
}

/** For responses with tokens, and for every response about tokens (RFC 6749 §5.1). */
const noStore: Headers = [
  ['Cache-Control', 'no-store'],
  ['Pragma', 'no-cache'],
]

const statuses: Partial<Readonly<Record<ProtocolError, number>>> = {
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  server_error: 500,
  temporarily_unavailable: 503,
}

/** @param https whether the service is reached over https. */
export function createResponses({ https }: { readonly https: boolean }): Responses {
  const security = createSecurityHeaders({ https })
  const data = [['Content-Type', 'application/json'], ...security.api] as const
  const json: Responses['json'] = (status, value, headers = []) => ({
    status,
    headers: [...data, ...noStore, ...headers],
    body: JSON.stringify(value),
  })
  return {
    json,
    document: (value, maxAgeSeconds) => ({
      status: 200,
      headers: [...data, ['Cache-Control', `public, max-age=${maxAgeSeconds}`]],
      body: JSON.stringify(value),
    }),
    refusal: ({ error, description, headers: own = [] }, headers = []) =>
      json(statuses[error] ?? 400, { error, error_description: description }, [...own, ...headers]),
    redirect: (location, headers = []) => ({
      status: 303,
      headers: [['Location', location], ...noStore, ...security.api, ...headers],
      body: null,
    }),
    page(status, html, { headers = [], formTargets = [], keepsOpener = false } = {}) {
      const nonce = security.newNonce()
      const narrowing = security.page(nonce, { formTargets })
      const own = keepsOpener ? narrowing.filter(([name]) => name !== 'Cross-Origin-Opener-Policy') : narrowing
      const type = ['Content-Type', 'text/html; charset=utf-8'] as const
      return { status, headers: [type, ...own, ...headers], body: html(nonce) }
    },
    notAllowed: (methods) => ({
      status: 405,
      headers: [['Allow', methods.join(', ')], ...noStore, ...security.api],
      body: null,
    }),
  }
}
