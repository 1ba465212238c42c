import { createHttpHandler, type HttpRequest, type HttpResponse } from '@latchkey/http'
import { describe, expect, test } from 'vitest'

const url = 'https://example.com/graphql?query=%7Ba%7D#fragment'
const ok = (body: HttpResponse['body'] = null): HttpResponse => ({ status: 200, headers: [], body })

/** Returns what a handler made of one request. */
async function look<T>(request: Request, read: (request: HttpRequest) => T | Promise<T>): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const handler = createHttpHandler(async (seen) => {
    resolve(await read(seen))
    return ok()
  })
  await handler.fetch(request)
  return promise
}

const codeOf = (limitBytes: number) => (request: HttpRequest) =>
  request.body(limitBytes).catch((error: { code?: string; name: string }) => error.code ?? error.name)

const post = (body: BodyInit, init: RequestInit = {}) => new Request(url, { method: 'POST', body, ...init })
const stream = (source: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>>) =>
  new Request(url, { method: 'POST', body: new ReadableStream(source), duplex: 'half' } as RequestInit)

describe('a Fetch request', () => {
  test('is seen with its method, target and signal, and without an address', async () => {
    const controller = new AbortController()
    const request = new Request(url, { method: 'PATCH', signal: controller.signal })
    const seen = await look(request, (seen) => seen)
    expect(seen).toMatchObject({ method: 'PATCH', target: '/graphql?query=%7Ba%7D', peerAddress: null })
    expect(seen.signal.aborted).toBe(false)
    controller.abort()
    expect(seen.signal.aborted).toBe(true)
  })

  test('has the address that the platform has', async () => {
    const handler = createHttpHandler(async ({ peerAddress }) => ok(peerAddress), { peerAddress: () => '192.0.2.1' })
    expect(await (await handler.fetch(new Request(url))).text()).toBe('192.0.2.1')
  })

  test('has the address from the framework before the address from the option', async () => {
    const handler = createHttpHandler(async ({ peerAddress }) => ok(peerAddress ?? 'unknown'), {
      peerAddress: () => '192.0.2.1',
    })
    const address = async (connection: { peerAddress: string | null }) =>
      (await handler.fetch(new Request(url), connection)).text()
    expect(await address({ peerAddress: '2001:db8::1' })).toBe('2001:db8::1')
    expect(await address({ peerAddress: null })).toBe('192.0.2.1')
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['what Workers hand over', { SOME_BINDING: 'x' }],
    ['what Deno hands over', { remoteAddr: { hostname: '192.0.2.9' } }],
    ['an address that is no text', { peerAddress: { toString: () => '192.0.2.9' } }],
    ['a text', '192.0.2.9'],
  ])('has no address for %s besides', async (_what, besides) => {
    const handler = createHttpHandler(async ({ peerAddress }) => ok(peerAddress ?? 'unknown'))
    const { fetch } = handler as unknown as { fetch(request: Request, besides: unknown): Promise<Response> }
    expect(await (await fetch(new Request(url), besides)).text()).toBe('unknown')
  })

  test('has its repeated headers joined', async () => {
    const headers = new Headers([
      ['Authorization', 'Bearer a'],
      ['authorization', 'Bearer b'],
      ['cookie', 'a=1'],
      ['Cookie', 'b=2'],
    ])
    const seen = await look(new Request(url, { headers }), (request) =>
      ['authorization', 'cookie', 'x-b'].map((name) => request.headers.get(name)),
    )
    expect(seen).toEqual(['Bearer a, Bearer b', 'a=1; b=2', undefined])
  })

  test.each([
    ['text', post('Grüße')],
    ['text after a byte order mark', post('\ufeffGrüße')],
    ['a stream', stream(streamOf('Gr', 'ü', 'ße'))],
  ])('has its body: %s', async (_what, request) => {
    expect(await look(request, codeOf(10))).toBe('Grüße')
  })

  test('without a body has an empty text', async () => {
    expect(await look(new Request(url), codeOf(0))).toBe('')
  })

  test('is refused without reading if it declares more than the limit', async () => {
    const request = post('0123456789', { headers: { 'content-length': '10' } })
    expect(await look(request, codeOf(9))).toBe('HTTP_BODY_TOO_LARGE')
    expect(request.bodyUsed).toBe(false)
  })

  test('is refused and cancelled as soon as an endless stream exceeds the limit', async () => {
    let pulled = 0
    let isCancelled = false
    const request = stream({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(10))
      },
      cancel() {
        isCancelled = true
        return new Promise(() => undefined)
      },
    })
    expect(await look(request, codeOf(95))).toBe('HTTP_BODY_TOO_LARGE')
    expect(isCancelled).toBe(true)
    expect(pulled).toBeLessThan(15)
  })

  test('is refused as aborted if its stream fails', async () => {
    const request = stream({ pull: (controller) => controller.error(new Error('reset')) })
    expect(await look(request, codeOf(95))).toBe('HTTP_BODY_ABORTED')
  })

  test('is refused if it is not UTF-8', async () => {
    expect(await look(post(new Uint8Array([0xff])), codeOf(95))).toBe('HTTP_BODY_INVALID')
  })

  test('is refused if a framework has read it or holds it', async () => {
    const used = post('{}')
    await used.text()
    expect(await look(used, codeOf(95))).toBe('HTTP_BODY_ALREADY_READ')
    const held = post('{}')
    held.body?.getReader()
    expect(await look(held, codeOf(95))).toBe('HTTP_BODY_ALREADY_READ')
  })
})

describe('waitUntil of a platform', () => {
  /** A context as Workers have it: `waitUntil` may only be called on it. */
  class Platform {
    readonly #works: Promise<unknown>[] = []
    waitUntil(work: Promise<unknown>): void {
      this.#works.push(work)
    }
    async settled(): Promise<number> {
      await Promise.all(this.#works)
      return this.#works.length
    }
  }
  const forms: [string, (platform: Platform) => unknown[]][] = [
    ['its context alone', (platform) => [platform]],
    ['an environment and then the context, as on Workers', (platform) => [{ BINDING: 1 }, platform]],
    [
      'a `waitUntil` beside the address',
      (platform) => [{ peerAddress: '::1', waitUntil: platform.waitUntil.bind(platform) }],
    ],
  ]

  test.each(forms)('is the work that a handler passes on, and the reply: by %s', async (_what, besides) => {
    const platform = new Platform()
    const { promise: sent, resolve: send } = Promise.withResolvers<void>()
    let isSent = false
    const handler = createHttpHandler(async ({ waitUntil }) => {
      waitUntil?.(sent.then(() => (isSent = true)))
      return ok()
    })
    const { fetch } = handler as unknown as { fetch(request: Request, ...besides: unknown[]): Promise<Response> }
    expect((await fetch(new Request(url), ...besides(platform))).status).toBe(200)
    expect(isSent).toBe(false)
    send()
    expect(await platform.settled()).toBe(2)
    expect(isSent).toBe(true)
  })

  test('is undefined in the handler if the platform has none', async () => {
    const handler = createHttpHandler(async ({ waitUntil }) => ok(typeof waitUntil))
    expect(await (await handler.fetch(new Request(url))).text()).toBe('undefined')
    expect(await (await handler.fetch(new Request(url), { peerAddress: null })).text()).toBe('undefined')
  })

  test('never rejects, so that a failure is reported once', async () => {
    const platform = new Platform()
    const errors: unknown[] = []
    const handler = createHttpHandler(() => Promise.reject(new Error('lost')), {
      onError: (error) => errors.push(error),
    })
    expect((await handler.fetch(new Request(url), platform)).status).toBe(500)
    expect(await platform.settled()).toBe(1)
    expect(errors).toHaveLength(1)
  })

  test('is a reported 500 if it throws, before the handler starts', async () => {
    const errors: unknown[] = []
    let isBegun = false
    const handle = async () => {
      isBegun = true
      return ok()
    }
    const handler = createHttpHandler(handle, { onError: (error) => errors.push(error) })
    const waitUntil = () => {
      throw new TypeError('Illegal invocation')
    }
    expect((await handler.fetch(new Request(url), { waitUntil })).status).toBe(500)
    expect([isBegun, errors.length]).toEqual([false, 1])
  })
})

describe('a Fetch response', () => {
  const answer = (reply: HttpResponse, init?: RequestInit) =>
    createHttpHandler(async () => reply).fetch(new Request(url, init))

  test('has the status, the headers and the body of the handler, and no added content type', async () => {
    const headers = [
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
      ['Content-Length', '99'],
    ] as const
    const response = await answer({ status: 401, headers, body: 'Grüße' })
    expect(response.status).toBe(401)
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(response.headers.get('content-length')).toBe('7')
    expect(response.headers.get('content-type')).toBeNull()
    expect(await response.text()).toBe('Grüße')
  })

  test('has the length and no body for HEAD', async () => {
    const response = await answer(ok('hello'), { method: 'HEAD' })
    expect(response.headers.get('content-length')).toBe('5')
    expect(response.body).toBeNull()
  })

  test.each([204, 205, 304])('has no body with status %d', async (status) => {
    const response = await answer({ status, headers: [['Content-Length', '5']], body: 'hello' })
    expect(response.status).toBe(status)
    expect(response.headers.get('content-length')).toBeNull()
    expect(response.body).toBeNull()
  })

  test.each<[string, HttpResponse]>([
    ['a line break in a header', { status: 200, headers: [['X-A', 'a\r\nb: c']], body: null }],
    ['an impossible status', { status: 0, headers: [], body: null }],
  ])('of a reply with %s is a bare 500', async (_what, reply) => {
    const errors: unknown[] = []
    const handler = createHttpHandler(async () => reply, { onError: (error) => errors.push(error) })
    const response = await handler.fetch(new Request(url))
    expect([response.status, [...response.headers], await response.text()]).toEqual([
      500,
      [['content-length', '0']],
      '',
    ])
    expect(errors).toHaveLength(1)
  })

  test('is a bare 500 if the handler throws, and the error is reported', async () => {
    const errors: unknown[] = []
    const thrown = new Error('password otters')
    const handler = createHttpHandler(() => Promise.reject(thrown), { onError: (error) => errors.push(error) })
    const { fetch } = handler
    const response = await fetch(new Request(url))
    expect([response.status, await response.text()]).toEqual([500, ''])
    expect(errors).toEqual([thrown])
  })

  test('has the status of a refused body that the handler does not catch, without a report', async () => {
    const errors: unknown[] = []
    const handler = createHttpHandler(async (request) => ok(await request.body(1)), {
      onError: (error) => errors.push(error),
    })
    expect((await handler.fetch(post('12'))).status).toBe(413)
    expect(errors).toEqual([])
  })
})

function streamOf(...parts: readonly string[]): UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  return {
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    },
  }
}
