import { createServer } from 'node:http'
import {
  allowPlainHttpOnLoopback,
  createForgeryCheck,
  createHttpHandler,
  createIdentityReader,
  createSessionCookie,
  type HttpHandler,
  type HttpResponse,
} from '@latchkey/http'
import { toNodeListener } from '@latchkey/http/node'
import { expectTypeOf, test } from 'vitest'

const secrets = [{ id: 'a', bytes: new Uint8Array(32) }] as const
const handle = async (): Promise<HttpResponse> => ({ status: 200, headers: [], body: null })

test('no check is turned off by false', () => {
  createSessionCookie({ transport: allowPlainHttpOnLoopback })
  // @ts-expect-error a boolean loosens nothing
  createSessionCookie({ transport: false })
  // @ts-expect-error SameSite=None is not for sessions
  createSessionCookie({ sameSite: 'None' })
})

test('origins cannot be empty', () => {
  // @ts-expect-error at least one origin
  createForgeryCheck({ origins: [], secrets })
})

test('a reading has the type that the verifiers return', async () => {
  interface Visitor {
    readonly id: string
  }
  const reader = createIdentityReader({ bearer: { verify: async (): Promise<Visitor | null> => null } })
  const { identity } = await reader.read({} as never)
  expectTypeOf(identity).toEqualTypeOf<Visitor | null>()
})

test('a handler fits Fetch platforms and node:http', () => {
  const handler = createHttpHandler(handle)
  expectTypeOf(handler).toEqualTypeOf<HttpHandler>()
  expectTypeOf(handler.fetch).toExtend<(request: Request) => Promise<Response>>()
  // What Deno, Bun and Workers hand over besides.
  expectTypeOf(handler.fetch).toExtend<(request: Request, info: { remoteAddr: string }) => Promise<Response>>()
  // What Workers require of a module's default export.
  type Context = { waitUntil(work: Promise<unknown>): void; passThroughOnException(): void }
  expectTypeOf(handler.fetch).toExtend<(request: Request, environment: object, context: Context) => Promise<Response>>()
  handler.fetch(new Request('https://example.com/'), { peerAddress: null })
  handler.fetch(new Request('https://example.com/'), { waitUntil: (work: Promise<unknown>) => void work })
  // @ts-expect-error a misspelt name
  handler.fetch(new Request('https://example.com/'), { peerAdress: '192.0.2.1' })
  createServer(toNodeListener(handler))
  toNodeListener({ handle })
  // @ts-expect-error a Fetch handler alone has no `handle`
  toNodeListener({ fetch: handler.fetch })
})
