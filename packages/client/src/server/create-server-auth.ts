import { postRequest } from '../answers/post-request.ts'
import { printDocument } from '../answers/print-document.ts'
import { readData } from '../answers/read-answer.ts'
import { AuthError } from '../errors.ts'
import type { AuthState, AuthUser } from '../state/auth-state.ts'
import { type Session, sessionFields, toSignedIn } from '../state/session-fields.ts'

const passedOn = ['user-agent', 'accept-language', 'x-forwarded-for']
const ofMutations = ['origin', 'sec-fetch-site']

/**
 * Returns what a server that renders pages passes on for a browser: it asks the service with the session cookie of the
 * request. A mutation that another site has sent is `CSRF_REJECTED` before the service sees it.
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
  /** Returns who is signed in, for `hydrate` of the page. */
  getState(headers: Headers): Promise<AuthState<User>>
  /** Sends an operation; `setCookies` are for the response to the browser. */
  request<Data = unknown, Variables = Readonly<Record<string, unknown>>>(
    headers: Headers,
    document: string | { readonly kind?: string; readonly __apiType?: (variables: Variables) => Data },
    variables?: Variables,
  ): Promise<{ readonly data: Data; readonly setCookies: readonly string[] }>
} {
  if (!options?.url) throw new TypeError('createServerAuth needs "url".')
  const { url, userFields = 'id name email role', fetch = globalThis.fetch } = options
  const send = async (headers: Headers, query: string, variables?: unknown): Promise<Response> => {
    const isMutation = /\bmutation\b/.test(query)
    if (isMutation) rejectForged(headers)
    const post = (csrfToken: string | null): Promise<Response> => {
      const request = postRequest(url, query, variables)
      passOn(headers, request.headers, isMutation)
      if (csrfToken) request.headers.set('x-csrf-token', csrfToken)
      return fetch(request)
    }
    const response = await post(null)
    const csrfToken = response.headers.get('x-csrf-token')
    return isMutation && response.status === 403 && csrfToken ? post(csrfToken) : response
  }
  return {
    getState: async (headers) => {
      try {
        const data = await readData<{ session: Session<User> | null }>(
          await send(headers, `{${sessionFields(userFields)}}`),
        )
        return data.session ? toSignedIn(data.session) : { status: 'signed-out', reason: 'none' }
      } catch {
        return { status: 'loading', isOffline: true }
      }
    },
    request: async (headers, document, variables) => {
      const response = await send(headers, printDocument(document), variables)
      return { data: await readData(response), setCookies: response.headers.getSetCookie() }
    },
  }
}

/** Rejects a request of another site, by the headers that browsers send. A request without these headers is rejected, too. */
function rejectForged(headers: Headers): void {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isOwnSite = site === null || site === 'same-origin' || site === 'same-site' || site === 'none'
  const isOwn = origin === null ? site === 'same-origin' : isOwnSite && hostOf(origin) === headers.get('host')
  if (!isOwn) throw new AuthError('CSRF_REJECTED', 'The request was sent by another site.')
}

function hostOf(origin: string): string | undefined {
  return origin.split('//')[1]
}

function passOn(from: Headers, to: Headers, isMutation: boolean): void {
  for (const name of isMutation ? [...passedOn, ...ofMutations] : passedOn) {
    const value = from.get(name)
    if (value !== null) to.set(name, value)
  }
  const cookies = (from.get('cookie') ?? '').split('; ').filter((cookie) => /^(__Host-|latchkey-)/.test(cookie))
  if (cookies.length > 0) to.set('cookie', cookies.join('; '))
}
