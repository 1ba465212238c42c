import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { pause } from '@latchkey/core/internal'
import { createOAuthClient, type OAuthClientEvent, type OAuthClientOptions, providers } from '@latchkey/oauth/client'
import { createMemoryRecordStore } from '@latchkey/store'
import { expectWithin, startStopwatch } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient, redirectUri, secrets } from './support/open-client.ts'
import { createProviderKey } from './support/test-provider.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A provider on a socket whose answers are those of a test. */
let answer: Answer = (_request, response) => void response.end()
let asked: string[] = []
const http = createServer((request, response) => {
  asked.push(request.url ?? '')
  answer(request, response)
})
let issuer = ''

beforeAll(async () => {
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
})
afterAll(async () => {
  http.close()
  http.closeAllConnections()
  await once(http, 'close')
})

const document = () => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
})

function open(changes: Partial<OAuthClientOptions> = {}) {
  asked = []
  const events: OAuthClientEvent[] = []
  const client = createOAuthClient({
    provider: providers.openid({ issuer }),
    clientId: 'client',
    clientSecret: 'secret-of-client',
    redirectUri,
    records: createMemoryRecordStore(),
    secrets,
    // A machine with other work is no slow provider.
    timeoutMs: 30_000,
    onEvent: (event) => void events.push(event),
    ...changes,
  })
  return { client, events }
}

const send =
  (value: unknown, status = 200): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
const sendChanged =
  (change: object): Answer =>
  (request, response) =>
    send({ ...document(), ...change })(request, response)

/** A body that comes a byte at a time, without an end. */
const drip: Answer = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  request.socket.once('close', () => clearInterval(timer))
}

/** More than a client should ever read. It stops as soon as the client does. */
const flood =
  (sent: { bytes: number }): Answer =>
  (_request, response) => {
    const chunk = Buffer.alloc(65_536, 0x20)
    const write = () => {
      while (sent.bytes < 100_000_000 && !response.destroyed) {
        sent.bytes += chunk.length
        if (!response.write(chunk)) return void response.once('drain', write)
      }
      if (!response.destroyed) response.end()
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    write()
  }

describe('discovery at a provider', () => {
  test.each([
    ['that is down', 'OAUTH_PROVIDER_UNAVAILABLE', (request: IncomingMessage) => request.socket.destroy()],
    ['that fails', 'OAUTH_PROVIDER_UNAVAILABLE', send({}, 500)],
    ['that is busy', 'OAUTH_PROVIDER_UNAVAILABLE', send({}, 429)],
    ['that answers with another status', 'OAUTH_PROVIDER_UNAVAILABLE', send({}, 201)],
    [
      'that redirects it elsewhere',
      'OAUTH_PROVIDER_UNAVAILABLE',
      (_request, response) => {
        response.writeHead(302, { location: `${issuer}/elsewhere` })
        response.end()
      },
    ],
    ['without a discovery document', 'OAUTH_PROVIDER_INVALID', send({}, 404)],
    ['that sends no JSON', 'OAUTH_PROVIDER_INVALID', (_request, response) => void response.end('<html>')],
    ['that sends a list', 'OAUTH_PROVIDER_INVALID', send([])],
    ['that sends null', 'OAUTH_PROVIDER_INVALID', send(null)],
    ['of another issuer', 'OAUTH_PROVIDER_INVALID', sendChanged({ issuer: 'http://127.0.0.1:1' })],
    ['of no issuer', 'OAUTH_PROVIDER_INVALID', sendChanged({ issuer: undefined })],
    ['without a token endpoint', 'OAUTH_PROVIDER_INVALID', sendChanged({ token_endpoint: undefined })],
    ['without keys', 'OAUTH_PROVIDER_INVALID', sendChanged({ jwks_uri: undefined })],
    ['whose token endpoint is a number', 'OAUTH_PROVIDER_INVALID', sendChanged({ token_endpoint: 7 })],
    ['whose token endpoint is a file', 'OAUTH_PROVIDER_INVALID', sendChanged({ token_endpoint: 'file:///etc/passwd' })],
    [
      'whose token endpoint has a password',
      'OAUTH_PROVIDER_INVALID',
      sendChanged({ token_endpoint: 'https://a:b@one.example/' }),
    ],
    [
      'whose authorization endpoint is a script',
      'OAUTH_PROVIDER_INVALID',
      sendChanged({ authorization_endpoint: 'javascript:alert(1)' }),
    ],
    [
      'whose authorization endpoint has no TLS',
      'OAUTH_PROVIDER_INVALID',
      sendChanged({ authorization_endpoint: 'http://one.example/' }),
    ],
    ['whose userinfo endpoint is a list', 'OAUTH_PROVIDER_INVALID', sendChanged({ userinfo_endpoint: [] })],
    [
      'whose support of iss is a text',
      'OAUTH_PROVIDER_INVALID',
      sendChanged({ authorization_response_iss_parameter_supported: 'true' }),
    ],
    [
      'whose authentication methods are a text',
      'OAUTH_PROVIDER_INVALID',
      sendChanged({ token_endpoint_auth_methods_supported: 'none' }),
    ],
  ] as const satisfies readonly (readonly [string, string, Answer])[])(
    '%s is an error with a code, and no sign-in starts',
    async (_title, code, planted) => {
      answer = planted
      const { client, events } = open()
      await expect(client.begin()).rejects.toMatchObject({ name: 'OAuthError', code })
      expect(events).toMatchObject([{ type: 'provider.failed', provider: 'openid', failure: code }])
      expect(asked).toEqual(['/.well-known/openid-configuration'])
    },
  )

  test('a remote provider with an endpoint on loopback is an error with a code', async () => {
    const opened = await openClient()
    opened.provider.changes.discovery = (found) => ({ ...found, token_endpoint: 'http://127.0.0.1:8080/token' })
    await expect(opened.begin()).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_INVALID' })
  })

  test.each([
    ['does not answer', () => {}],
    ['answers a byte at a time', drip],
  ] as const satisfies readonly (readonly [string, Answer])[])(
    'a discovery whose provider %s is given up in time',
    async (title, planted) => {
      answer = planted
      const measured: number[] = []
      for (let round = 0; round < 3; round++) {
        const { client } = open({ timeoutMs: 300 })
        const elapsed = startStopwatch(300)
        await expect(client.begin()).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_UNAVAILABLE' })
        measured.push(elapsed())
      }
      expectWithin(500, `a provider that ${title}: an error after`, measured)
    },
  )

  test('a discovery document of 100 MB is given up after 1 MB', async () => {
    const sent = { bytes: 0 }
    answer = flood(sent)
    await expect(open().client.begin()).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_UNAVAILABLE' })
    // What the sockets of both sides hold counts as sent.
    expect(sent.bytes).toBeLessThan(50_000_000)
  })

  test('fifty concurrent sign-ins read the discovery document once, and a sign-in after half an hour reads it again', async () => {
    answer = sendChanged({})
    let time = 1_790_000_000_000
    const { client } = open({ now: () => time })
    await Promise.all(Array.from({ length: 50 }, () => client.begin()))
    expect(asked).toHaveLength(1)
    time += 29 * 60_000
    await client.begin()
    expect(asked).toHaveLength(1)
    time += 2 * 60_000
    await client.begin()
    await expect.poll(() => asked.length).toBe(2)
    time += 61 * 60_000
    await client.begin()
    expect(asked).toHaveLength(3)
  })

  test('a failed discovery is not tried again for five seconds', async () => {
    answer = send({}, 500)
    let time = 1_790_000_000_000
    const { client } = open({ now: () => time })
    for (let tried = 0; tried < 10; tried++) await expect(client.begin()).rejects.toThrow()
    expect(asked).toHaveLength(1)
    answer = sendChanged({})
    time += 5000
    await expect(client.begin()).resolves.toMatchObject({ url: expect.any(String) })
    expect(asked).toHaveLength(2)
  })

  test('a failed discovery does not affect a provider whose document is less than an hour old', async () => {
    answer = sendChanged({})
    let time = 1_790_000_000_000
    const { client } = open({ now: () => time })
    await client.begin()
    answer = send({}, 500)
    time += 45 * 60_000
    await client.begin()
    await expect.poll(() => asked.length).toBe(2)
    await expect(client.begin()).resolves.toBeDefined()
    time += 16 * 60_000
    await expect(client.begin()).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_UNAVAILABLE' })
  })
})

describe('a provider that', () => {
  const respondAt = (place: string, respond: () => Response | Promise<Response>) => async () => {
    const opened = await openClient()
    const callback = opened.provider.authorize(await opened.begin())
    opened.provider.changes.respond = ({ path }) => (path === place ? respond() : null)
    return { opened, callback }
  }
  /** Its deadline is what the test waits for. */
  const hangAt = (place: string) => async () => {
    const opened = await openClient({ timeoutMs: 1000 })
    const callback = opened.provider.authorize(await opened.begin())
    opened.provider.changes.respond = ({ path }) => (path === place ? new Promise(() => {}) : null)
    return { opened, callback }
  }
  const body =
    (value: unknown, status = 200) =>
    () =>
      new Response(JSON.stringify(value), { status })
  const bearer = { access_token: 'the-access-token', token_type: 'Bearer' }

  test.each([
    ['never answers with tokens', 'OAUTH_PROVIDER_UNAVAILABLE', hangAt('/token')],
    ['fails to answer with tokens', 'OAUTH_PROVIDER_UNAVAILABLE', respondAt('/token', body({}, 503))],
    [
      'redirects the code',
      'OAUTH_PROVIDER_UNAVAILABLE',
      respondAt('/token', () => Response.redirect('https://evil.example', 307)),
    ],
    [
      'sends 2 MB of tokens',
      'OAUTH_PROVIDER_UNAVAILABLE',
      respondAt('/token', body({ ...bearer, x: 'x'.repeat(2_000_000) })),
    ],
    [
      'sends tokens that are no JSON',
      'OAUTH_PROVIDER_INVALID',
      respondAt('/token', () => new Response('the-access-token')),
    ],
    ['refuses without an error code', 'OAUTH_PROVIDER_INVALID', respondAt('/token', body({}, 400))],
    ['refuses with a number as error code', 'OAUTH_PROVIDER_INVALID', respondAt('/token', body({ error: 7 }, 400))],
    ['never answers with its keys', 'OAUTH_PROVIDER_UNAVAILABLE', hangAt('/jwks')],
    ['has no keys', 'OAUTH_PROVIDER_INVALID', respondAt('/jwks', body({}, 404))],
    ['sends keys that are a text', 'OAUTH_PROVIDER_INVALID', respondAt('/jwks', body({ keys: 'key' }))],
    ['sends keys that are numbers', 'OAUTH_PROVIDER_INVALID', respondAt('/jwks', body({ keys: [7] }))],
    [
      'sends a thousand keys',
      'OAUTH_PROVIDER_INVALID',
      respondAt('/jwks', body({ keys: Array.from({ length: 1000 }, () => ({})) })),
    ],
  ])('%s signs no user in: an error with a code, in time, and without a secret in it', async (_title, code, plant) => {
    const { opened, callback } = await plant()
    const error: unknown = await opened.finish(callback).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'OAuthError', code })
    const printed = inspect(error, { depth: 10 })
    for (const secret of ['the-access-token', 'secret-of-client', callback.searchParams.get('code') ?? 'none']) {
      expect(printed).not.toContain(secret)
    }
    // The code may have been redeemed: the sign-in is used up.
    opened.provider.changes = {}
    expect(await opened.finish(callback)).toMatchObject({ ok: false, reason: 'used' })
  })

  test.each([
    ['is missing', { access_token: undefined }],
    ['is null', { access_token: null }],
    ['is of the type null', { token_type: null }],
    ['is a number', { access_token: 7 }],
    ['is of no type', { token_type: undefined }],
    ['is bound to a key', { token_type: 'DPoP' }],
    ['is of a type of its own', { token_type: 'mac' }],
    ['expires at a text', { expires_in: 'soon' }],
    ['comes with a refresh token that is a number', { refresh_token: 7 }],
    ['comes with scopes that are a list', { scope: ['openid'] }],
    ['comes with a refresh token that is false', { refresh_token: false }],
    ['comes with a refresh token that is empty', { refresh_token: '' }],
  ])('sends an access token that %s signs no user in', async (_title, change) => {
    const opened = await openClient()
    opened.provider.changes.answer = (right) => ({ ...right, ...change })
    const error: unknown = await opened.signIn().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'OAUTH_PROVIDER_INVALID' })
    expect(inspect(error, { depth: 10 })).not.toMatch(/access-|refresh-|eyJ/)
  })

  test('is slow in every step is given up in time: all steps after the code share a deadline', async () => {
    const opened = await openClient({ timeoutMs: 1000 })
    const callback = opened.provider.authorize(await opened.begin())
    opened.provider.changes.respond = async ({ path }) => {
      if (path === '/token' || path === '/jwks') await pause(700)
      return null
    }
    await expect(opened.finish(callback)).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_UNAVAILABLE' })
  })

  test('changes its keys gets at most one request for them in thirty seconds', async () => {
    const opened = await openClient()
    expect(await opened.signIn()).toMatchObject({ ok: true })
    const [published] = opened.provider.keys
    opened.provider.keys = [await createProviderKey()]
    opened.provider.changes.jwks = () => (published ? [published.published] : [])
    opened.advance(31)
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => opened.client.begin()))
    for (const { url, cookie } of verdicts) {
      const verdict = await opened.client.finish(opened.provider.authorize(url), cookie.split(';')[0] ?? '')
      expect(verdict).toMatchObject({ ok: false, reason: 'id-token', detail: 'key' })
    }
    expect(opened.provider.count('/jwks')).toBe(2)
  })

  test('fails to send its keys leads to an error for an unknown key, not to a verdict', async () => {
    const opened = await openClient()
    expect(await opened.signIn()).toMatchObject({ ok: true })
    opened.provider.keys = [await createProviderKey()]
    opened.provider.changes.respond = ({ path }) => (path === '/jwks' ? new Response(null, { status: 500 }) : null)
    opened.advance(31)
    await expect(opened.signIn()).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_UNAVAILABLE' })
    await expect(opened.signIn()).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_UNAVAILABLE' })
    expect(opened.provider.count('/jwks')).toBe(2)
  })
})
