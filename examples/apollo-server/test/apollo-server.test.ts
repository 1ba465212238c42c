import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { access } from '../src/access.ts'
import { server } from '../src/server.ts'

const anyPort = { listen: { host: '127.0.0.1', port: 0 } }

let url: string
beforeAll(async () => {
  url = (await startStandaloneServer(server, anyPort)).url
})
afterAll(() => server.stop())

interface Answer {
  readonly data?: unknown
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}

async function ask(
  query: string,
  token: string | null = null,
  { to = url, ...init }: RequestInit & { to?: string } = {},
) {
  const response = await fetch(to, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer token-of-${token}` }) },
    body: JSON.stringify({ query }),
    ...init,
  })
  const text = await response.text()
  const { data = null, errors = [] } = JSON.parse(text) as Answer
  const codes = errors.map(({ extensions }) => extensions?.code)
  return { status: response.status, challenge: response.headers.get('www-authenticate'), data, codes, text }
}

const update = (id: number, text: string) => `mutation { updateNote(id: ${id}, text: "${text}") { text } }`
const textsOf = async () => (await ask('{ notes { text } }', 'reader')).data

describe('Apollo Server behind the handler', () => {
  test.each<[string, string | null, unknown]>([
    ['{ hello }', null, { hello: 'Hello' }],
    ['{ hello }', 'stranger', { hello: 'Hello' }],
    ['{ viewer }', 'author', { viewer: 'acc_1' }],
    ['{ notes { id } }', 'reader', { notes: [{ id: '1' }, { id: '2' }] }],
  ])('answers %s of %s', async (query, token, data) => {
    expect(await ask(query, token)).toMatchObject({ status: 200, data, codes: [], challenge: null })
  })

  test.each<[string, string | null, number, string]>([
    ['{ viewer }', null, 401, 'UNAUTHENTICATED'],
    ['{ viewer }', 'stranger', 401, 'UNAUTHENTICATED'],
    ['{ hello notes { id } }', null, 401, 'UNAUTHENTICATED'],
    [update(1, 'Forged'), null, 401, 'UNAUTHENTICATED'],
    [update(1, 'Forged'), 'reader', 403, 'FORBIDDEN'],
    [update(2, 'Forged'), 'author', 403, 'FORBIDDEN'],
    [update(404, 'Forged'), 'author', 403, 'FORBIDDEN'],
  ])('refuses %s of %s with %d and changes nothing', async (query, token, status, code) => {
    const before = await textsOf()
    const { challenge, ...refused } = await ask(query, token)
    expect(refused).toMatchObject({ status, data: null, codes: [code] })
    expect(challenge !== null).toBe(status === 401)
    expect(await textsOf()).toEqual(before)
  })

  test('changes the note of its owner', async () => {
    expect(await ask(update(1, 'Buy bread'), 'author')).toMatchObject({
      status: 200,
      data: { updateNote: { text: 'Buy bread' } },
    })
    expect(await textsOf()).toEqual({ notes: [{ text: 'Buy bread' }, { text: 'Call Ada' }] })
  })

  test('refuses a mutation by GET with 405, and the notes stay unchanged', async () => {
    const before = await textsOf()
    const to = `${url}?query=${encodeURIComponent(update(1, 'Forged'))}`
    const headers = { authorization: 'Bearer token-of-author', 'apollo-require-preflight': 'yes' }
    expect((await fetch(to, { headers })).status).toBe(405)
    expect(await textsOf()).toEqual(before)
  })

  test('refuses introspection, and hides the reason of a failure', async () => {
    expect((await ask('{ __schema { types { name } } }', 'author')).text).not.toContain('"types"')
    const { codes, text } = await ask('{ broken }')
    expect(codes).toEqual(['INTERNAL_SERVER_ERROR'])
    expect(text).not.toContain('10.0.0.7')
  })
})

test('the sealed schema without the plugin serves no data', async () => {
  const forgotten = new ApolloServer({ schema: access.sealed })
  const { url: to } = await startStandaloneServer(forgotten, anyPort)
  try {
    const { data, codes } = await ask('{ hello }', null, { to })
    expect([data, codes]).toEqual([null, ['INTERNAL_SERVER_ERROR']])
  } finally {
    await forgotten.stop()
  }
})
