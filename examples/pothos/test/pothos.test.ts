import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { server } from '../src/server.ts'

let url: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function ask(query: string, token: string | null) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer token-of-${token}` }) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })
  const { data = null, errors = [] } = await response.json()
  return { status: response.status, data, codes: errors.map((error: Told) => error.extensions.code) }
}
interface Told {
  readonly extensions: { readonly code: string }
}

const update = (id: number) => `mutation { updateNote(id: ${id}, text: "Changed") { text } }`

test.each([
  ['{ hello }', null, 200, []],
  ['{ viewer }', null, 401, ['UNAUTHENTICATED']],
  ['{ viewer }', 'stranger', 401, ['UNAUTHENTICATED']],
  ['{ viewer }', 'reader', 200, []],
  ['{ notes { id } }', null, 401, ['UNAUTHENTICATED']],
  ['{ notes { id text } }', 'reader', 200, []],
  [update(1), null, 401, ['UNAUTHENTICATED']],
  [update(1), 'reader', 403, ['FORBIDDEN']],
  [update(2), 'author', 403, ['FORBIDDEN']],
])('the schema of Pothos answers %s by %s with %d', async (query, token, status, codes) => {
  expect(await ask(query, token)).toMatchObject({ status, codes })
})

test('a note changes for its owner, and has not changed for others', async () => {
  await ask(update(2), 'author')
  expect((await ask(update(1), 'author')).status).toBe(200)
  expect((await ask('{ notes { text } }', 'reader')).data.notes).toEqual([{ text: 'Changed' }, { text: 'Call Ada' }])
})
