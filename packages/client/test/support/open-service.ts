import { createMemoryAccountStore } from '@latchkey/accounts'
import { definePolicy } from '@latchkey/rbac'
import { createServer } from '@latchkey/server'
import { createTestServer, type TestServer } from '@latchkey/server/testing'
import { createMemoryCounterStore, createMemoryDocumentStore, createMemoryRecordStore } from '@latchkey/store'
import { onTestFinished } from 'vitest'

/** A service in this process, until the test is over. */
export interface OpenService {
  readonly service: TestServer
  /** How often mutations have run. */
  readonly writes: { count: number }
}

export async function openService(baseUrl: string): Promise<OpenService> {
  const writes = { count: 0 }
  const service = await createTestServer(createService(baseUrl, writes))
  onTestFinished(() => service.close())
  return { service, writes }
}

function createService(baseUrl: string, writes: { count: number }) {
  return createServer({
    baseUrl,
    secrets: { load: async () => [{ id: 'a', bytes: new Uint8Array(32) }] },
    stores: {
      accounts: createMemoryAccountStore(),
      records: createMemoryRecordStore(),
      counters: createMemoryCounterStore(),
      documents: createMemoryDocumentStore(),
    },
    mails: { mailer: { send: async () => {} } },
    signUp: { role: 'READER' },
    graphql: { streamLimits: { recheckMs: 100 } },
    policy: definePolicy({ permissions: ['notes:write'], roles: { READER: { permissions: ['notes:write'] } } }),
    typeDefs: `
      type Query { secret: String! @authenticated }
      type Mutation { write: Int! @requires(permissions: "notes:write") }
      type Subscription { ticks: Int! @authenticated }`,
    resolvers: {
      Query: { secret: () => 'a secret' },
      Mutation: { write: () => ++writes.count },
      Subscription: { ticks: { subscribe: tick, resolve: (value: number) => value } },
    },
  })
}

async function* tick(): AsyncGenerator<number> {
  for (let count = 1; ; count++) {
    yield count
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A `fetch` with the cookies of a browser, for a page of the origin of the service. */
export function browserFetch({ server }: TestServer): {
  readonly fetch: typeof globalThis.fetch
  readonly cookies: Map<string, string>
} {
  const cookies = new Map<string, string>()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { origin } = new URL(request.url)
    const headers = new Headers(request.headers)
    headers.set('origin', origin)
    headers.set('sec-fetch-site', 'same-origin')
    headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const answer = await server.fetch(new Request(request, { headers }))
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }
  return { fetch, cookies }
}
