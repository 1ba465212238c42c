import { createHash } from 'node:crypto'
import { createTrustedDocuments, type GraphqlHandlerOptions } from '@latchkey/graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Endpoint, openEndpoint } from '../support/endpoint.ts'
import { bearer, graphqlResponse, json, mediaTypes, type policy, type read } from '../support/service.ts'

type Manifest = Parameters<typeof createTrustedDocuments>[number]

const texts = {
  hello: 'query Hello($name: String) { hello(name: $name) }',
  viewer: 'query Viewer { viewer }',
  mixed: 'query Mixed($all: Boolean! = false) { hello viewer @include(if: $all) }',
  note: 'mutation Note { note }',
  signIn: 'mutation SignIn { signIn }',
  fail: 'query Fail { hello fail }',
  queued: 'query Queued { queued }',
  stale: 'query Stale { gone }',
  two: 'query A { hello } query B { hello }',
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const idOf = (name: keyof typeof texts) => `sha256:${sha256(texts[name])}`
const manifest = Object.fromEntries(
  Object.values(texts).map((text) => [createHash('md5').update(text).digest('hex'), text]),
)
const documents = createTrustedDocuments(manifest)

let ran: string[] = []
const parts = {
  sdl: `
    type Query { hello(name: String): String, viewer: String, fail: String, queued: String }
    type Mutation { note: String, signIn: String }
  `,
  rules: { 'Query.viewer': 'authenticated', 'Mutation.signIn': { public: true, credential: true } },
  resolvers: {
    'Query.hello': (_source: never, { name = 'you' }: { name?: string }) => {
      ran.push('hello')
      return `Hello ${name}`
    },
    'Query.viewer': () => 'me',
    'Query.fail': () => {
      throw new Error('secret')
    },
    'Query.queued': (
      _source: never,
      _args: never,
      { response }: { response: { setHeader(name: string, value: string): void } },
    ) => {
      response.setHeader('x-for-you', 'alone')
      return 'queued'
    },
    'Mutation.note': () => ran.push('note'),
  },
} as const
const open = (trustedDocuments: GraphqlHandlerOptions<typeof policy>['trustedDocuments']) =>
  openEndpoint({ ...(parts as object), sdl: parts.sdl, ...(trustedDocuments && { trustedDocuments }) })

let only: Endpoint
let also: Endpoint
let kept: Endpoint
beforeAll(async () => {
  only = await open({ documents, mode: 'only' })
  also = await open({ documents, mode: 'also' })
  kept = await open({ documents, mode: 'only', publicMaxAgeSeconds: 300 })
})
afterAll(() => Promise.all([only.close(), also.close(), kept.close()]))
beforeEach(() => {
  ran = []
})

describe('a trusted document', () => {
  test('is found by its id, over POST and GET', async () => {
    const data = { hello: 'Hello Ada' }
    const variables = { name: 'Ada' }
    const md5 = createHash('md5').update(texts.hello).digest('hex')
    for (const documentId of [idOf('hello'), md5]) {
      for (const endpoint of [only, also]) {
        expect(await endpoint.post({ documentId, variables })).toMatchObject({ status: 200, body: { data } })
        const overGet = await endpoint.get({ documentId, variables: JSON.stringify(variables) })
        expect(overGet).toMatchObject({ status: 200, body: { data } })
      }
    }
  })

  test('is found by the hash in extensions.persistedQuery, as Apollo sends it', async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(texts.hello) } }
    expect(await only.post({ extensions })).toMatchObject({ status: 200, codes: [] })
    expect(await only.get({ extensions: JSON.stringify(extensions) })).toMatchObject({ status: 200, codes: [] })
    expect(await also.post({ extensions, query: '{ hello }' })).toMatchObject({ status: 200, codes: [] })
  })

  test('needs operationName if it has several operations', async () => {
    expect(await only.post({ documentId: idOf('two'), operationName: 'B' })).toMatchObject({ status: 200 })
    const unnamed = await only.post({ documentId: idOf('two') })
    expect(unnamed).toMatchObject({ status: 400, codes: ['OPERATION_RESOLUTION_FAILURE'] })
  })

  test('passes the plan, and validation, like any other', async () => {
    expect(await only.post({ documentId: idOf('viewer') })).toMatchObject({ status: 401, codes: ['UNAUTHENTICATED'] })
    expect(await only.post({ documentId: idOf('viewer') }, bearer('READER'))).toMatchObject({ status: 200 })
    expect(await only.get({ documentId: idOf('note') })).toMatchObject({ status: 405, codes: ['METHOD_NOT_ALLOWED'] })
    const stale = await only.post({ documentId: idOf('stale') })
    expect(stale).toMatchObject({ status: 400, codes: ['GRAPHQL_VALIDATION_FAILED'] })
    expect(ran).toEqual([])
  })
})

describe('an untrusted document', () => {
  test.each(mediaTypes)('is refused in mode "only", accepting %s', async (accept) => {
    const status = accept === json ? 200 : 400
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(texts.hello) } }
    for (const params of [{ query: texts.hello }, { query: '{ __typename }' }, { query: texts.hello, extensions }]) {
      const answer = await only.post(params, { accept })
      expect(answer).toMatchObject({ status, codes: ['PERSISTED_QUERY_ONLY'] })
      expect(answer.body).not.toHaveProperty('data')
    }
    expect(await only.get({ query: '{ hello }' }, { accept })).toMatchObject({
      status,
      codes: ['PERSISTED_QUERY_ONLY'],
    })
    expect(ran).toEqual([])
  })

  test.each(['only', 'also'] as const)('is PERSISTED_QUERY_NOT_FOUND for an unknown id: mode %s', async (mode) => {
    const endpoint = { only, also }[mode]
    for (const params of [
      { documentId: 'sha256:0' },
      { documentId: '__proto__' },
      { documentId: idOf('hello').toUpperCase() },
      { extensions: { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } } },
    ]) {
      expect(await endpoint.post(params)).toMatchObject({ status: 400, codes: ['PERSISTED_QUERY_NOT_FOUND'] })
    }
    expect(ran).toEqual([])
  })

  test.each<[string, object]>([
    ['nothing', {}],
    ['an empty id', { documentId: '' }],
    ['an id that is no text', { documentId: 7 }],
    ['a list of ids', { documentId: [idOf('hello')] }],
    ['both an id and a text', { documentId: idOf('hello'), query: '{ hello }' }],
    ['a hash that is no text', { extensions: { persistedQuery: { sha256Hash: 7 } } }],
    ['no hash', { extensions: { persistedQuery: null } }],
  ])('is malformed with %s', async (_what, params) => {
    for (const endpoint of [only, also]) {
      expect(await endpoint.post(params)).toMatchObject({ status: 400, codes: ['BAD_REQUEST'] })
    }
    expect(ran).toEqual([])
  })

  test('is executed in mode "also"', async () => {
    expect(await also.post({ query: '{ hello }' })).toMatchObject({ status: 200 })
  })

  test('is PERSISTED_QUERY_NOT_SUPPORTED for any id without trusted documents', async () => {
    const without = await open(undefined)
    const refused = { status: 400, codes: ['PERSISTED_QUERY_NOT_SUPPORTED'] }
    expect(await without.post({ documentId: idOf('hello') })).toMatchObject(refused)
    expect(await without.get({ documentId: idOf('hello') })).toMatchObject(refused)
    expect(await without.post({ documentId: 7 })).toMatchObject({ status: 400, codes: ['BAD_REQUEST'] })
    expect(await without.post({ documentId: 7, query: '{ hello }' })).toMatchObject({ status: 200 })
    await without.close()
  })

  test.each([
    ['without trusted documents', undefined, 'NOT_SUPPORTED', 'PersistedQueryNotSupported'],
    ['with them', { documents, mode: 'only' }, 'NOT_FOUND', 'PersistedQueryNotFound'],
  ] as const)('by its hash has the status that Apollo reads, %s', async (_what, trustedDocuments, code, message) => {
    for (const statusProfile of ['compatible', 'draft-2026'] as const) {
      const endpoint = await openEndpoint({
        ...(parts as object),
        sdl: parts.sdl,
        statusProfile,
        ...(trustedDocuments && { trustedDocuments }),
      })
      onTestFinished(() => endpoint.close())
      const extensions = { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } }
      const both = { accept: `${graphqlResponse}, ${json};q=0.9` }
      for (const answer of [
        await endpoint.post({ extensions }, both),
        await endpoint.get({ extensions: JSON.stringify(extensions) }, both),
        await endpoint.post({ extensions }, { accept: json }),
      ]) {
        expect(answer).toMatchObject({ status: 200, codes: [`PERSISTED_QUERY_${code}`] })
        expect(answer.headers.get('content-type')).toContain(json)
        expect(answer.body.errors).toMatchObject([{ message }])
        expect(answer.body).not.toHaveProperty('data')
      }
      const status = statusProfile === 'compatible' ? 400 : 422
      expect(await endpoint.post({ extensions })).toMatchObject({ status, codes: [`PERSISTED_QUERY_${code}`] })
    }
    expect(ran).toEqual([])
  })
})

describe('caches', () => {
  test('keep public answers for the time of the option', async () => {
    for (const params of [
      { documentId: idOf('hello') },
      { documentId: idOf('mixed') },
      { extensions: JSON.stringify({ persistedQuery: { version: 1, sha256Hash: sha256(texts.hello) } }) },
    ]) {
      const answer = await kept.get(params)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
      expect(answer.headers.get('vary')).toBe('Accept, Authorization, Cookie')
    }
  })

  test.each<[string, () => ReturnType<Endpoint['get']>]>([
    ['an answer to an identity', () => kept.get({ documentId: idOf('hello') }, bearer('READER'))],
    ['an answer to a token that is no good', () => kept.get({ documentId: idOf('hello') }, bearer('expired'))],
    ['an answer to another scheme', () => kept.get({ documentId: idOf('hello') }, { authorization: 'Basic YTpi' })],
    ['an answer to any cookie', () => kept.get({ documentId: idOf('hello') }, { cookie: 'theme=dark' })],
    ['an answer over POST', () => kept.post({ documentId: idOf('hello') })],
    [
      'a field that is not public',
      () => kept.get({ documentId: idOf('mixed'), variables: '{"all":true}' }, bearer('READER')),
    ],
    ['a refusal of access', () => kept.get({ documentId: idOf('viewer') })],
    ['an answer with errors', () => kept.get({ documentId: idOf('fail') })],
    ['a header for one client', () => kept.get({ documentId: idOf('queued') })],
    ['a mutation', () => kept.post({ documentId: idOf('note') })],
    ['a mutation over GET', () => kept.get({ documentId: idOf('note') })],
    ['a credential field', () => kept.get({ documentId: idOf('signIn') })],
    ['a document that is not known', () => kept.get({ documentId: 'unknown' })],
    ['a document that is not valid', () => kept.get({ documentId: idOf('stale') })],
    ['a document as text', () => kept.get({ query: '{ hello }' })],
    ['anything where nothing was said about it', () => only.get({ documentId: idOf('hello') })],
  ])('never keep %s', async (_what, ask) => {
    const answer = await ask()
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('vary')).toBeNull()
  })

  test('never keep a text where both are answered', async () => {
    const both = await open({ documents, mode: 'also', publicMaxAgeSeconds: 300 })
    expect((await both.get({ query: texts.hello })).headers.get('cache-control')).toBe('no-store')
    expect((await both.get({ documentId: idOf('hello') })).headers.get('cache-control')).toBe('public, max-age=300')
    await both.close()
  })
})

describe('createTrustedDocuments', () => {
  const text = 'query Hello { hello }'
  test.each<[string, Manifest, string]>([
    [
      'GraphQL Code Generator',
      { [createHash('sha1').update(text).digest('hex')]: text },
      createHash('sha1').update(text).digest('hex'),
    ],
    ['Relay', { '5b8c1f0e7c3d4a6f9e2b1a0d3c4b5e6f': text }, '5b8c1f0e7c3d4a6f9e2b1a0d3c4b5e6f'],
    [
      'Apollo',
      {
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [{ id: 'dc67510f', name: 'Hello', type: 'query', body: text }],
      } as unknown as Manifest,
      'dc67510f',
    ],
  ])('reads what %s writes', (_tool, given, id) => {
    const read = createTrustedDocuments(JSON.parse(JSON.stringify(given)))
    expect([read.get(id), read.get(`sha256:${sha256(text)}`)]).toEqual([text, text])
    expect([read.get('constructor'), read.get('operations'), read.get('format')]).toEqual([null, null, null])
  })

  test('joins several', () => {
    const joined = createTrustedDocuments({ a: '{ a }' }, { b: '{ b }' }, { a: '{ a }' })
    expect([joined.get('a'), joined.get('b')]).toEqual(['{ a }', '{ b }'])
  })

  test.each<[string, readonly unknown[]]>([
    ['"manifests" must be objects', ['{}']],
    ['"manifests" must be objects', [null]],
    ['"manifests" must be objects', [[text]]],
    ['"manifests": "a" must be a document', [{ a: 7 }]],
    ['"manifests": "a" must be a document', [{ a: ' ' }]],
    ['"manifests" has a document with an empty id', [{ '': text }]],
    ['"manifests" has a document with an empty id', [{ operations: [{ body: text }] }]],
    ['"manifests": "a" must be a document', [{ operations: [{ id: 'a' }] }]],
    ['"manifests" has two documents of the id "a"', [{ a: '{ a }' }, { a: '{ b }' }]],
    [`"manifests": "sha256:${sha256(text)}" is not the SHA-256`, [{ [`sha256:${sha256(text)}`]: '{ other }' }]],
  ])('refuses with %s', (message, manifests) => {
    expect(() => createTrustedDocuments(...(manifests as Manifest[]))).toThrow(TypeError)
    expect(() => createTrustedDocuments(...(manifests as Manifest[]))).toThrow(message)
  })
})

test('the answer is the same as to the text', async () => {
  const byId = await also.post({ documentId: idOf('fail') })
  const asText = await also.post({ query: texts.fail })
  const withoutId = ({ text }: Awaited<ReturnType<typeof read>>) => text.replace(/"id":"[^"]+"/, '')
  expect(withoutId(byId)).toBe(withoutId(asText))
})
