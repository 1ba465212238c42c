import { createPasskeys } from '@latchkey/passkeys'
import { StoreError } from '@latchkey/store'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { describe, expect, test } from 'vitest'
import { createBench, createMemoryStores } from '../support/bench.ts'

const factors = { signIn: { passkeys: createPasskeys, recoveryCodes: createRecoveryCodes } }
const otherDomain = { ...factors, http: { allowedOrigins: ['https://app.example.com', 'https://example.de'] } }

async function documentOf(bench: ReturnType<typeof createBench>, init: RequestInit = {}, host = 'example.com') {
  const response = await bench.server.fetch(new Request(`https://${host}/.well-known/webauthn`, init))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('/.well-known/webauthn', () => {
  test('lists the origins of a service whose passkeys are used on other domains, and may be kept by caches', async () => {
    const bench = createBench({ options: otherDomain })
    const { status, headers, text } = await documentOf(bench)
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { origins: ['https://example.com', 'https://app.example.com', 'https://example.de'] },
    ])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    })
    expect(headers.getSetCookie()).toEqual([])
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test.each([
    [
      'no passkeys',
      {
        signIn: { totp: createTotp, recoveryCodes: createRecoveryCodes },
        http: { allowedOrigins: ['https://example.de'] },
      },
    ],
    ['passkeys on its own domain', factors],
    ['passkeys below its own domain', { ...factors, http: { allowedOrigins: ['https://app.example.com'] } }],
    [
      'passkeys that do not say where else',
      {
        ...otherDomain,
        signIn: {
          ...factors.signIn,
          passkeys: (parts: Parameters<typeof createPasskeys>[0]) => ({
            ...createPasskeys(parts),
            relatedOrigins: undefined,
          }),
        },
      },
    ],
  ])('is 404 for a service with %s', async (_what, options) => {
    const { status, headers, text } = await documentOf(createBench({ options: options as never }))
    expect([status, text, headers.get('cache-control')]).toEqual([404, 'Not found.', 'no-store'])
  })

  test("lists the origins of the application's relying party instead of derived origins", async () => {
    const relyingParty = {
      id: 'example.com',
      name: 'Example',
      origins: ['https://example.com'],
      relatedOrigins: ['https://example.org'],
    } as const
    const passkeys = (parts: Parameters<typeof createPasskeys>[0]) => createPasskeys({ ...parts, relyingParty })
    const { text } = await documentOf(
      createBench({ options: { ...otherDomain, signIn: { ...otherDomain.signIn, passkeys } } }),
    )
    expect(JSON.parse(text)).toEqual({ origins: ['https://example.com', 'https://example.org'] })
  })

  test('answers GET and HEAD alone', async () => {
    const bench = createBench({ options: otherDomain })
    const head = await documentOf(bench, { method: 'HEAD' })
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', 'application/json'])
    const { status, headers } = await documentOf(bench, { method: 'POST' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('is 503 while the stores are down, and never a missing document', async () => {
    const check = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', '10.0.0.7 is down'))
    const bench = createBench({ options: { ...otherDomain, stores: { ...createMemoryStores(), check } } })
    const { status, headers, text } = await documentOf(bench)
    expect([status, text, headers.get('retry-after'), headers.get('cache-control')]).toEqual([503, '', '5', 'no-store'])
    expect(bench.events.at(-1)).toMatchObject({ type: 'service.failed', during: 'related-origins' })
  })

  test('is for served hosts', async () => {
    expect((await documentOf(createBench({ options: otherDomain }), {}, 'evil.example')).status).toBe(421)
  })

  test('is no path for the endpoint', () => {
    expect(() => createBench({ options: { graphql: { path: '/.well-known/webauthn' } } })).toThrow(
      '"graphql.path" must not be',
    )
  })
})
