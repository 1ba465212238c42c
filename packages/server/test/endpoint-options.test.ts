import { describe, expect, test } from 'vitest'
import { type BenchOptions, createBench } from './bench.ts'

const send = async (options: BenchOptions['options'], body: string) => {
  const { server } = createBench({ options: options ?? {} })
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
  const response = await server.fetch(new Request('https://example.com/graphql', { method: 'POST', headers, body }))
  return { status: response.status, body: await response.json() }
}

describe('the GraphQL endpoint of a server takes', () => {
  test('a profile of statuses', async () => {
    const body = JSON.stringify({ query: '{ nothing }' })
    expect(await send({}, body)).toMatchObject({ status: 400 })
    expect(await send({ statusProfile: 'draft-2026' }, body)).toMatchObject({ status: 422 })
  })

  test('a limit for bodies', async () => {
    const body = JSON.stringify({ query: '{ hello }' })
    expect(await send({ bodyLimitBytes: 10 }, body)).toMatchObject({ status: 413 })
  })

  test('nothing that cannot be used: it is refused before the server opens', () => {
    expect(() => createBench({ options: { urlLimitBytes: 0 } })).toThrow('"urlLimitBytes" must be')
  })
})
