import { checkOptionNames } from '@latchkey/options'
import type { Server } from '../create-server.ts'
import type { Service } from '../service/open-service.ts'
import type { ServicePlan } from '../service/service-plan.ts'
import type { CookieJar } from './cookie-jar.ts'

/** An answer of the endpoint. */
export interface TestResult<Data = unknown> {
  readonly status: number
  /** The code of the first error: `FORBIDDEN`, `STEP_UP_REQUIRED`, …; `null` where there is none. */
  readonly code: string | null
  readonly data: Data | null
  /** Empty where there are none. */
  readonly errors: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[]
    readonly extensions: Readonly<Record<string, unknown>>
  }[]
  readonly headers: Headers
}

export interface TestRequestOptions {
  /** Further headers, or others in place of those that the visitor sends; `null` leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>
}

export interface TestVisitorOptions {
  /**
   * What the visitor uses: a `browser` on a page of the service, the default, which says so with every request, or an
   * `application`, whose requests look like nothing of a page: native delivery is for these.
   */
  readonly agent?: 'browser' | 'application'
  /** The address that the requests come from; `192.0.2.1` unless told. */
  readonly address?: string
}

/** Somebody who uses the service, with cookies of their own. */
export interface TestVisitor {
  /**
   * Asks the endpoint by POST. What the service put into cookies goes along, and the `x-csrf-token` that a page of the
   * service would have read from `csrfToken`. It never rejects because of what the service answers.
   */
  graphql<Data = unknown>(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: TestRequestOptions,
  ): Promise<TestResult<Data>>
  /** Asks any path, with the same cookies and headers as `graphql` has: for pages, forms and probes. */
  fetch(path: string, init?: Omit<RequestInit, 'headers'> & TestRequestOptions): Promise<Response>
}

export interface TestVisitorParts {
  readonly server: Server
  readonly plan: ServicePlan
  readonly service: Service
  readonly jar: CookieJar
}

export function createTestVisitor(parts: TestVisitorParts, options: TestVisitorOptions = {}): TestVisitor {
  const { server, plan, jar } = parts
  checkOptionNames('visitor', options, { agent: true, address: true })
  const { agent = 'browser', address: peerAddress = '192.0.2.1' } = options
  if (agent !== 'browser' && agent !== 'application') {
    throw new TypeError('"agent" must be "browser" or "application"')
  }
  const { origin } = plan.base
  const ownHeaders = agent === 'browser' ? pageHeaders(origin) : {}

  async function exchange(
    path: string,
    { headers, ...init }: Omit<RequestInit, 'headers'> & TestRequestOptions,
    more: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const all = { ...ownHeaders, ...more, ...(await credentialsOf(parts)), ...headers }
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)
    const request = new Request(new URL(path, origin), { redirect: 'manual', ...init, headers: sent })
    const response = await server.fetch(request, { peerAddress })
    jar.keep(response.headers.getSetCookie())
    return response
  }
  return {
    async graphql<Data>(query: string, variables = {}, requestOptions: TestRequestOptions = {}) {
      const { headers = {} } = checkOptionNames('graphql', requestOptions, { headers: true })
      const body = JSON.stringify({ query, variables })
      return toResult<Data>(await exchange('/graphql', { method: 'POST', body, headers }, graphqlHeaders))
    },
    fetch: (path, init = {}) => exchange(path, init, {}),
  }
}

const graphqlHeaders = { 'content-type': 'application/json', accept: 'application/graphql-response+json' } as const

/** What a browser adds to a request that a script of the service's own page makes. */
function pageHeaders(origin: string): Readonly<Record<string, string>> {
  return { origin, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
}

/** A look at the session that is no use of it: what a test does not ask for must keep nothing alive. */
async function credentialsOf({ plan, service, jar }: TestVisitorParts): Promise<Readonly<Record<string, string>>> {
  const cookie = jar.header()
  const session = await service.sessions.peek(jar.get(plan.cookies.session.name))
  return {
    ...(cookie !== '' && { cookie }),
    ...(session && { 'x-csrf-token': service.forgery.createToken(session.key) }),
  }
}

async function toResult<Data>(response: Response): Promise<TestResult<Data>> {
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  const { data = null, errors = [] } = (isJson ? await response.json() : {}) as Partial<TestResult<Data>>
  const code = errors[0]?.extensions?.code
  return {
    status: response.status,
    code: typeof code === 'string' ? code : null,
    data,
    errors,
    headers: response.headers,
  }
}
