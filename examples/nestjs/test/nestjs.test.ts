import type { AddressInfo } from 'node:net'
import type { INestApplication } from '@nestjs/common'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApplication } from '../src/application.ts'

let application: INestApplication
let url: string
beforeAll(async () => {
  application = await createApplication()
  await application.listen(0, '127.0.0.1')
  url = `http://127.0.0.1:${(application.getHttpServer().address() as AddressInfo).port}/graphql`
})
afterAll(() => application.close())

async function ask(query: string, token: string | null = null) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer token-of-${token}` }) },
    body: JSON.stringify({ query }),
  })
  const answer = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] }
  const { data = null, errors = [] } = answer
  return { status: response.status, data, codes: errors.map(({ extensions }) => extensions.code) }
}

const update = (id: number, text: string) => `mutation { updateNote(id: ${id}, text: "${text}") { text } }`
const readNotes = async () => (await ask('{ notes { text } }', 'reader')).data

test.each<[string, string | null, unknown]>([
  ['{ hello }', null, { hello: 'Hello' }],
  ['{ viewer }', 'author', { viewer: 'acc_1' }],
  ['{ notes { id } }', 'reader', { notes: [{ id: '1' }, { id: '2' }] }],
])('NestJS answers %s of %s by its resolvers', async (query, token, data) => {
  expect(await ask(query, token)).toEqual({ status: 200, data, codes: [] })
})

test.each<[string, string | null, number, string]>([
  ['{ viewer }', null, 401, 'UNAUTHENTICATED'],
  ['{ viewer }', 'stranger', 401, 'UNAUTHENTICATED'],
  ['{ hello notes { id } }', null, 401, 'UNAUTHENTICATED'],
  [update(1, 'Forged'), null, 401, 'UNAUTHENTICATED'],
  [update(1, 'Forged'), 'reader', 403, 'FORBIDDEN'],
  [update(2, 'Forged'), 'author', 403, 'FORBIDDEN'],
])('NestJS refuses %s of %s with %d, and nothing changes', async (query, token, status, code) => {
  const before = await readNotes()
  expect(await ask(query, token)).toEqual({ status, data: null, codes: [code] })
  expect(await readNotes()).toEqual(before)
})

test('NestJS changes the note of its owner', async () => {
  expect(await ask(update(1, 'Buy bread'), 'author')).toMatchObject({ data: { updateNote: { text: 'Buy bread' } } })
  expect(await readNotes()).toEqual({ notes: [{ text: 'Buy bread' }, { text: 'Call Ada' }] })
})
