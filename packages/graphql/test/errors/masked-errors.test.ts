import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { AccessError } from '@latchkey/graphql'
import { toNodeListener } from '@latchkey/http/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ask, bearer, cookie, policy, type Service, serve } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())
beforeEach(() => {
  service.events.length = 0
})
afterEach(() => vi.restoreAllMocks())

const masked = 'Something went wrong on our end. Try again later.'

describe('an unexpected error', () => {
  test.each([
    'unexpected',
    'text',
    'GraphQL error',
    'GraphQL error with nodes',
    'unknown code',
    'internal code',
    'pretended code',
    'INTERNAL_SERVER_ERROR',
    'busy',
  ])('(%s) loses its words', async (how) => {
    const { status, text, body } = await ask(service, { query: `{ fail(how: "${how}") }` })
    expect(status).toBe(200)
    expect(text).not.toContain('secret')
    expect(body.errors).toEqual([
      {
        message: masked,
        locations: [{ line: 1, column: 3 }],
        path: ['fail'],
        extensions: { code: 'INTERNAL_SERVER_ERROR', id: expect.stringMatching(/^[\w-]{22}$/) },
      },
    ])
  })

  test('emits an event with the error and with the id that the client gets', async () => {
    const { body } = await ask(service, { query: '{ fail(how: "unexpected") }', headers: bearer('author') })
    expect(service.events).toEqual([
      {
        type: 'access.failed',
        at: 1_700_000_000_000,
        accountId: 'author',
        sessionKey: expect.toSatisfy((key) => key === null || typeof key === 'string'),
        address: '127.0.0.1',
        device: null,
        requestId: null,
        durationMs: expect.any(Number),
        clientId: null,
        code: 'INTERNAL_SERVER_ERROR',
        id: body.errors[0].extensions.id,
        path: 'fail',
      },
    ])
    const [event] = service.events
    expect(event).toHaveProperty('cause.message', 'secret: select * from accounts')
    for (const logged of [JSON.stringify(event), JSON.stringify({ ...event }), inspect(event)]) {
      expect(logged).not.toContain('secret')
    }
  })

  test('shared by several fields has one event and id; two errors have two', async () => {
    const idsOf = async (query: string) => {
      service.events.length = 0
      const { body } = await ask(service, { query })
      const ids = body.errors.map((error: { extensions: { id: string } }) => error.extensions.id)
      return [ids.length, new Set(ids).size, service.events.length]
    }
    expect(await idsOf('{ a: fail(how: "same") b: fail(how: "same") }')).toEqual([2, 1, 1])
    expect(await idsOf('{ a: fail(how: "unexpected") b: fail(how: "unexpected") }')).toEqual([2, 2, 2])
  })

  test('before execution is 500 with a body, and is reported to the listener', async () => {
    for (const headers of [bearer('broken'), cookie('broken')]) {
      const answer = await ask(service, { query: '{ hello }', headers })
      expect(answer).toMatchObject({ status: 500, codes: ['INTERNAL_SERVER_ERROR'] })
      expect(answer.body).not.toHaveProperty('data')
      expect(answer.text).not.toContain('secret')
      expect(service.events.pop()).toMatchObject({ type: 'access.failed', path: null, accountId: null })
    }
  })

  test('is 500 if other middleware has read the body', async () => {
    const listener = toNodeListener(service.handler)
    const server = createServer((request, response) => {
      request.resume().on('end', () => listener(request, response))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const answer = await ask({ ...service, url: `http://127.0.0.1:${port}/` }, { query: '{ hello }' })
    expect(answer).toMatchObject({ status: 500, codes: ['INTERNAL_SERVER_ERROR'] })
    expect(service.events).toMatchObject([{ type: 'access.failed', cause: { code: 'HTTP_BODY_ALREADY_READ' } }])
    server.close()
  })

  test('is 500 with a body if the context function throws', async () => {
    const context = () => {
      throw new Error('secret context')
    }
    const broken = await serve({ context })
    const answer = await ask(broken, { query: '{ hello }' })
    expect(answer).toMatchObject({ status: 500, codes: ['INTERNAL_SERVER_ERROR'] })
    expect(answer.text).not.toContain('secret')
    expect(broken.ran).toEqual([])
    await broken.close()
  })

  test('is printed to the console without a listener; a refusal is not', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    const unheard = await serve({ without: ['observe'] })
    await ask(unheard, { query: '{ viewer }' })
    expect(printed).not.toHaveBeenCalled()
    const { body } = await ask(unheard, { query: '{ fail(how: "unexpected") }' })
    const { id } = body.errors[0].extensions
    expect(printed.mock.calls).toEqual([[expect.stringContaining(id), expect.any(Error)]])
    await unheard.close()
  })

  test('thrown by the listener of events changes no answer', async () => {
    const onEvent = () => {
      throw new Error('secret listener')
    }
    const deaf = await serve({ observe: { onEvent } })
    expect(await ask(deaf, { query: '{ viewer }' })).toMatchObject({ status: 401 })
    expect(await ask(deaf, { query: '{ failHard(how: "unexpected") }' })).toMatchObject({ status: 500 })
    await deaf.close()
  })
})

describe('an error that is meant for the client', () => {
  test('keeps its words and its details', async () => {
    const { body } = await ask(service, { query: '{ fail(how: "BAD_USER_INPUT") }' })
    expect(body.errors).toEqual([
      {
        message: 'Too long.',
        locations: [{ line: 1, column: 3 }],
        path: ['fail'],
        extensions: { code: 'BAD_USER_INPUT', field: 'input.title' },
      },
    ])
  })

  test('can be a GraphQLError with a built-in code; its other extensions are not sent', async () => {
    const { body } = await ask(service, { query: '{ fail(how: "known code") }' })
    expect(body.errors[0]).toMatchObject({ message: 'Too short.' })
    expect(body.errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'title' })
  })

  test.each([
    ['known reason', { code: 'FORBIDDEN', reason: 'impersonated' }],
    ['unknown reason', { code: 'FORBIDDEN' }],
  ])('has only reasons of the table: %s', async (how, extensions) => {
    const { body } = await ask(service, { query: `{ fail(how: "${how}") }` })
    expect(body.errors[0].extensions).toEqual(extensions)
  })

  test.each([
    ['known code with a cause', 'BAD_USER_INPUT', 'Too short.'],
    ['wrapped refusal', 'NOT_FOUND', 'The object was not found.'],
  ])('is found in a chain of errors: a %s', async (how, code, message) => {
    const { body } = await ask(service, { query: `{ fail(how: "${how}") }` })
    expect(body.errors[0]).toMatchObject({ message, path: ['fail'], extensions: { code } })
    expect(service.events).toEqual([])
  })

  test('may be an error of the application that is translated', async () => {
    const translateError = (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'PASSWORD_HASHER_UNAVAILABLE') {
        return new AccessError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 2 })
      }
      if (error instanceof Error && error.message.startsWith('secret:')) throw new Error('secret translation')
      return null
    }
    const translating = await serve({ translateError })
    const busy = await ask(translating, { query: '{ fail(how: "busy") }' })
    expect(busy).toMatchObject({ status: 503, codes: ['SERVICE_UNAVAILABLE'] })
    expect(busy.headers.get('retry-after')).toBe('2')
    expect(translating.events).toEqual([])
    for (const how of ['unexpected', 'text']) {
      const answer = await ask(translating, { query: `{ fail(how: "${how}") }` })
      expect(answer).toMatchObject({ status: 200, codes: ['INTERNAL_SERVER_ERROR'] })
      expect(answer.text).not.toContain('secret')
    }
    await translating.close()
  })

  test('may be an argument that GraphQL cannot use', async () => {
    const query = 'query ($name: String = "x") { hello(name: $name) }'
    const { status, body } = await ask(service, { query, variables: { name: null } })
    expect([status, body.data]).toEqual([200, null])
    const [{ message, extensions }] = body.errors
    expect([message, extensions.code]).toEqual(['The value of an argument does not match its type.', 'BAD_USER_INPUT'])
    expect(service.events).toEqual([])
  })
})

describe('a refusal', () => {
  test('names the client of a machine, and no account', async () => {
    const identity = policy.identify({ subject: 'robot', kind: 'client', roles: [], scopes: ['nothing'] })
    const machines = await serve({ identify: { read: async () => ({ credential: 'bearer', identity }) } })
    await ask(machines, { query: '{ accounts }' })
    expect(machines.events).toMatchObject([{ type: 'access.denied', accountId: null, clientId: 'robot' }])
    await machines.close()
  })

  test('says from where and in which request it was, and how long that took', async () => {
    const named = await serve({ observe: { requestId: (request) => request.headers.get('x-name') ?? null } })
    await ask(named, { query: '{ accounts }', headers: { ...bearer('reader'), 'x-name': 'req_1' } })
    const [event] = named.events
    expect(event).toMatchObject({ accountId: 'reader', address: '127.0.0.1', device: null, requestId: 'req_1' })
    expect(event?.durationMs).toBeGreaterThan(0)
    await named.close()
  })

  test('is reported to the listener', async () => {
    await ask(service, { query: '{ mine: viewer }' })
    await ask(service, { query: '{ accounts }', headers: bearer('reader') })
    await ask(service, { query: '{ hello }', headers: { ...cookie('author'), 'sec-fetch-site': 'cross-site' } })
    await ask(service, { query: '{ hello }' })
    const at = 1_700_000_000_000
    expect(service.events).toMatchObject([
      { type: 'access.denied', at, code: 'UNAUTHENTICATED', status: 401, accountId: null, paths: ['mine'] },
      { type: 'access.denied', at, code: 'FORBIDDEN', status: 403, accountId: 'reader', paths: ['accounts'] },
      { type: 'access.denied', at, code: 'CSRF_REJECTED', status: 403, accountId: null, paths: [] },
    ])
  })
})
