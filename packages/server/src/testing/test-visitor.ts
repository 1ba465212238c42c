import { checkOptionNames } from '@latchkey/core/internal'
import type { Server } from '../create-server.ts'
import type { Service } from '../service/open-service.ts'
import type { ServicePlan } from '../service/plan/service-plan.ts'
import type { CookieJar } from './cookie-jar.ts'
import type { TestResult, TestServer, TestVisitor } from './test-server.ts'

export interface TestVisitorParts {
  readonly server: Server
  readonly plan: ServicePlan
  readonly service: Service
  readonly jar: CookieJar
}

export function createTestVisitor(
  parts: TestVisitorParts,
  options: NonNullable<Parameters<TestServer['visitor']>[0]> = {},
): TestVisitor {
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
    { headers, ...init }: Omit<RequestInit, 'headers'> & NonNullable<Parameters<TestVisitor['graphql']>[2]>,
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
    async graphql<Data>(
      query: string,
      variables = {},
      requestOptions: NonNullable<Parameters<TestVisitor['graphql']>[2]> = {},
    ) {
      const { headers = {} } = checkOptionNames('graphql', requestOptions, { headers: true })
      const body = JSON.stringify({ query, variables })
      return toResult<Data>(await exchange(plan.path, { method: 'POST', body, headers }, graphqlHeaders))
    },
    fetch: (path, init = {}) => exchange(path, init, {}),
  }
}

const graphqlHeaders = { 'content-type': 'application/json', accept: 'application/graphql-response+json' } as const

/** The headers that a browser adds to a request by a script of the service's own page. */
function pageHeaders(origin: string): Readonly<Record<string, string>> {
  return { origin, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
}

/** Reads the session without using it: a request that the test did not make must not keep it alive. */
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
