import type { Server } from 'node:http'
import { bodyParser } from '@koa/bodyparser'
import { toNodeListener } from '@latchkey/http/node'
import createExpress from 'express'
import createFastify from 'fastify'
import { Hono } from 'hono'
import { cloneRawRequest } from 'hono/request'
import Koa from 'koa'
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest'
import { graphql } from '../src/graphql.ts'
import { app as koaApp } from '../src/koa.ts'
import { post, type Running, start, whenListening } from './servers.ts'

const listener = toNodeListener(graphql)

let running: Running | undefined
let logged: MockInstance
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(async () => {
  logged.mockRestore()
  await running?.close()
})

async function ask(server: Server | Promise<Server>): Promise<Response> {
  running = await whenListening(await server)
  return post(running.url, '{ hello }')
}

describe('a body that a parser has read before the handler', () => {
  const parsed: [string, () => Server | Promise<Server>][] = [
    ['Express', () => start.express(createExpress().use(createExpress.json()).all('/graphql', listener))],
    [
      'Fastify',
      () => {
        const app = createFastify()
        app.all('/graphql', (request, reply) => {
          reply.hijack()
          listener(request.raw, reply.raw)
        })
        return start.fastify(app)
      },
    ],
    [
      'Hono',
      () => {
        const app = new Hono()
        app.use(async ({ req }, next) => {
          await req.json()
          await next()
        })
        app.all('/graphql', ({ req }) => graphql.fetch(req.raw))
        return start.hono(app)
      },
    ],
    [
      'Koa',
      () => {
        const app = new Koa()
        app.use(bodyParser())
        for (const middleware of koaApp.middleware) app.use(middleware)
        return start.koa(app)
      },
    ],
  ]

  test.each(parsed)('is refused with a 500 in %s, and the log has the advice', async (_name, begin) => {
    const response = await ask(begin())
    const { errors } = (await response.json()) as { errors: { message: string; extensions: object }[] }
    expect(response.status).toBe(500)
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR', id: expect.any(String) } }])
    expect(JSON.stringify(errors)).not.toContain('body')
    const told = JSON.stringify(
      logged.mock.calls.flat().map((value) => (value instanceof Error ? value.message : value)),
    )
    expect(told).toMatch(/the body was read before: (mount this handler before|hand the Request over unread)/)
  })
})

describe('a parser that keeps the bytes lets the handler have them', () => {
  test('express.json with a "verify"', async () => {
    const verify = (request: object, _response: object, rawBody: Uint8Array) => void Object.assign(request, { rawBody })
    const app = createExpress().use(createExpress.json({ verify })).all('/graphql', listener)
    expect((await ask(start.express(app))).status).toBe(200)
  })

  test('a content type parser of Fastify', async () => {
    const app = createFastify()
    app.removeContentTypeParser('application/json')
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, rawBody, done) => {
      Object.assign(request.raw, { rawBody })
      done(null, JSON.parse(rawBody.toString()))
    })
    app.all('/graphql', (request, reply) => {
      reply.hijack()
      listener(request.raw, reply.raw)
    })
    expect((await ask(start.fastify(app))).status).toBe(200)
  })

  test('a clone of the request, in Hono', async () => {
    const app = new Hono()
    app.use(async ({ req }, next) => {
      await req.json()
      await next()
    })
    app.all('/graphql', async ({ req }) => graphql.fetch(await cloneRawRequest(req)))
    expect((await ask(start.hono(app))).status).toBe(200)
  })
})
