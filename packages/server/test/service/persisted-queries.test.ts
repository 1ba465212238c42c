import { createHash } from 'node:crypto'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { BatchHttpLink } from '@apollo/client/link/batch-http'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { print } from '@apollo/client/utilities'
import { createTrustedDocuments } from '@latchkey/graphql'
import { listen } from '@latchkey/server/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type BenchOptions, createBench } from '../support/bench.ts'

const typeDefs = 'type Query { hello(name: String): String! @public, bye: String! @public }'
const hello = gql`
  query Hello($name: String) {
    hello(name: $name)
  }
`
const bye = gql`
  query Bye {
    bye
  }
`
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const documents = createTrustedDocuments({ hello: print(hello) })

type GraphqlOptions = NonNullable<NonNullable<BenchOptions['options']>['graphql']>

/** A service, and the requests that a client sends to it. */
async function serve(graphql: GraphqlOptions = {}) {
  const resolvers = {
    Query: { hello: (_source: unknown, { name = 'you' }: { name?: string }) => `Hello ${name}`, bye: () => 'Bye' },
  }
  const listener = await listen(
    ({ port }) =>
      createBench({ options: { baseUrl: `http://127.0.0.1:${port}`, typeDefs, resolvers, graphql } as never }).server,
    { port: 0, closeOn: [], print: null, drainMs: 0 },
  )
  onTestFinished(() => listener.close())
  const uri = `http://127.0.0.1:${listener.port}/graphql`
  const sent: string[] = []
  const recordingFetch: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    const asked = `${String(url)} ${String(init?.body ?? '')}`
    const parts = [
      asked.includes('persistedQuery') ? 'hash' : [],
      /query( |\+|%20)?(Hello|Bye)/.test(asked) ? 'text' : [],
    ]
    sent.push([init?.method, parts.flat().join('+'), response.status].join(' '))
    return response
  }
  return { uri, sent, fetch: recordingFetch }
}

function clientOf(link: ApolloLink, useGETForHashedQueries: boolean): ApolloClient {
  const persisted = new PersistedQueryLink({ sha256, useGETForHashedQueries })
  return new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.from([persisted, link]),
    defaultOptions: { query: { fetchPolicy: 'no-cache' } },
  })
}

async function ask(client: ApolloClient, query = hello, variables: Record<string, string> = { name: 'Ada' }) {
  const { data } = await client.query<Record<string, string>>({ query, variables })
  return data
}

describe.each([
  ['GET', true],
  ['POST', false],
] as const)('Apollo Client with its persisted-query link, hashes over %s,', (method, useGet) => {
  test('sends texts after a single refusal if there are no trusted documents', async () => {
    const { uri, sent, fetch } = await serve()
    const client = clientOf(new HttpLink({ uri, fetch }), useGet)
    expect(await ask(client)).toEqual({ hello: 'Hello Ada' })
    expect(await ask(client, bye)).toEqual({ bye: 'Bye' })
    expect(sent).toEqual([`${method} hash 200`, 'POST text 200', 'POST text 200'])
  })

  test('sends the hash of a trusted document, and the text of any other', async () => {
    const { uri, sent, fetch } = await serve({ trustedDocuments: { documents, mode: 'also' } })
    const client = clientOf(new HttpLink({ uri, fetch }), useGet)
    expect(await ask(client)).toEqual({ hello: 'Hello Ada' })
    expect(sent).toEqual([`${method} hash 200`])
    expect(await ask(client, bye)).toEqual({ bye: 'Bye' })
    expect(await ask(client)).toEqual({ hello: 'Hello Ada' })
    expect(sent.slice(1)).toEqual([`${method} hash 200`, 'POST hash+text 200', `${method} hash 200`])
  })

  test('gets other texts refused if only trusted documents are accepted', async () => {
    const { uri, fetch } = await serve({ trustedDocuments: { documents, mode: 'only' } })
    const client = clientOf(new HttpLink({ uri, fetch }), useGet)
    expect(await ask(client)).toEqual({ hello: 'Hello Ada' })
    const refused = ask(client, bye)
    await expect(refused).rejects.toMatchObject({ errors: [{ extensions: { code: 'PERSISTED_QUERY_ONLY' } }] })
  })
})

test('Apollo Client with its persisted-query and batch links is answered', async () => {
  const { uri, sent, fetch } = await serve({ requestLimits: { batchSize: 10 } })
  const client = clientOf(new BatchHttpLink({ uri, fetch }), false)
  expect(await Promise.all([ask(client), ask(client, bye)])).toEqual([{ hello: 'Hello Ada' }, { bye: 'Bye' }])
  expect(sent).toEqual(['POST hash 200', 'POST text 200'])
})

// Apollo iOS reads no body of an error status, Apollo Kotlin none of `application/json`; both compare the message.
const native = { accept: 'multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json' }
const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(print(bye)) } }

test.each([
  ['without trusted documents', {}, 'PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED'],
  [
    'with trusted documents',
    { trustedDocuments: { documents, mode: 'also' } },
    'PersistedQueryNotFound',
    'PERSISTED_QUERY_NOT_FOUND',
  ],
] as const)(
  'a hash from Apollo Kotlin or iOS is answered 200 with its message %s',
  async (_what, graphql, message, code) => {
    const { uri } = await serve(graphql)
    const search = new URLSearchParams({ operationName: 'Bye', extensions: JSON.stringify(extensions) })
    const headers = { ...native, 'content-type': 'application/json' }
    for (const response of [
      await fetch(uri, { method: 'POST', headers, body: JSON.stringify({ operationName: 'Bye', extensions }) }),
      await fetch(`${uri}?${search}`, { headers: native }),
    ]) {
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(await response.json()).toEqual({ errors: [{ message, extensions: { code } }] })
    }
  },
)
