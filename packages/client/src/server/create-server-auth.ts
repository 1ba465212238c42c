import { postRequest } from '../answers/post-request.ts'
import { readData } from '../answers/read-answer.ts'
import { AuthError } from '../errors.ts'
import type { AuthState, AuthUser } from '../state/auth-state.ts'
import { type Session, sessionFields, toSignedIn } from '../state/session-fields.ts'

/** Sec-Fetch-Site, or the origin without it: `Host` has no scheme, so that only https counts then, and http on this machine. */
const ownSite = /^(none|same-origin|http(s|:..(localhost|127\.|\[::1])).*)$/

const passedOn = ['user-agent', 'accept-language', 'x-forwarded-for']

/**
 * Returns a client for a server that renders pages. It sends requests to the service with the session cookie of the browser.
 * A mutation from another site is `CSRF_REJECTED` and does not reach the service.
 *
 * @example
 * import { createServerAuth } from '@latchkey/client/server'
 *
 * const serverAuth = createServerAuth({ url: 'https://app.example.com/graphql' })
 *
 * export async function nameOf(request: Request): Promise<string | null> {
 *   const state = await serverAuth.getState(request.headers)
 *   return state.status === 'signed-in' ? state.user.name : null
 * }
 */
export function createServerAuth<User extends { readonly id: string } = AuthUser>(options: {
  readonly url: string
  readonly userFields?: string
  readonly fetch?: typeof globalThis.fetch
}): {
  /** Returns the state of the sign-in, for `hydrate` of the page. */
  getState(headers: Headers): Promise<AuthState<User>>
  /**
   * Sends an operation; `setCookies` are for the response to the browser. A document is text or `TypedDocumentString`; of a
   * `DocumentNode` it is the result of `print` of `graphql`.
   */
  request<Data = unknown, Variables = Readonly<Record<string, unknown>>>(
    headers: Headers,
    document: string | { readonly kind?: never; readonly __apiType?: (variables: Variables) => Data },
    variables?: Variables,
  ): Promise<{ readonly data: Data; readonly setCookies: readonly string[] }>
} {
  if (!options?.url) throw new TypeError('createServerAuth needs "url".')
  const { url, userFields = 'id name email role', fetch = globalThis.fetch } = options
  const send = async (headers: Headers, query: string, variables?: unknown): Promise<Response> => {
    const isMutation = /\bmutation\b/.test(query)
    if (isMutation) rejectForged(headers)
    const post = (csrfToken?: string | null): Promise<Response> => {
      const request = postRequest(url, query, variables)
      passOn(headers, request.headers, isMutation)
      if (csrfToken) request.headers.set('x-csrf-token', csrfToken)
      return fetch(request)
    }
    const response = await post()
    const csrfToken = response.headers.get('x-csrf-token')
    return isMutation && response.status === 403 && csrfToken ? post(csrfToken) : response
  }
  return {
    getState: async (headers) => {
      try {
        const response = await send(headers, `{${sessionFields(userFields)}}`)
        const { session } = await readData<{ readonly session: Session<User> | null }>(response)
        return session ? toSignedIn(session) : { status: 'signed-out', reason: 'none' }
      } catch {
        return { status: 'loading', isOffline: true }
      }
    },
    request: async (headers, document, variables) => {
      const response = await send(headers, `${document}`, variables)
      return { data: await readData(response), setCookies: response.headers.getSetCookie() }
    },
  }
}

/** Rejects a request of another site, by the headers that browsers send. A request without these headers is rejected, too. */
function rejectForged(headers: Headers): void {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isOwn =
    origin === null
      ? site === 'same-origin'
      : ownSite.test(site ?? origin) && origin.split('//')[1] === headers.get('host')
  if (!isOwn) throw new AuthError('CSRF_REJECTED', 'Another site sent the request.')
}

function passOn(from: Headers, to: Headers, isMutation: boolean): void {
  const set = (name: string, value: string | null | undefined): void => {
    if (value) to.set(name, value)
  }
  for (const name of [...passedOn, ...(isMutation ? ['origin', 'sec-fetch-site'] : [])]) set(name, from.get(name))
  set(
    'cookie',
    from
      .get('cookie')
      ?.match(/(?<=^|; )(__Host-|latchkey-)[^;]*/g)
      ?.join('; '),
  )
}
