import { describe, expect, test } from 'vitest'
import { answerOf, authorizeTarget, createProvider, issuer, type Provider } from './support/provider.ts'
import { createSigner, proofOf } from './tokens/signer.ts'

const form = (changes: Readonly<Record<string, string | null>> = {}) =>
  Object.fromEntries(new URLSearchParams(authorizeTarget(changes).split('?')[1]))

async function push(provider: Provider, sent: Readonly<Record<string, string>> = form(), headers = {}) {
  const response = await provider.openBrowser().post('/par', sent, headers)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const useTarget = (requestUri: string, clientId = 'spa') =>
  `/authorize?${new URLSearchParams({ client_id: clientId, request_uri: requestUri })}`

async function setUp() {
  const provider = await createProvider({ consent: () => 'granted' })
  const browser = provider.openBrowser()
  browser.signIn()
  return { provider, browser }
}

describe('a pushed request', () => {
  test('is answered with a request URI that works once', async () => {
    const { provider, browser } = await setUp()
    const { status, headers, body } = await push(provider)
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:pr_/),
      expires_in: 60,
    })
    expect(answerOf(await browser.get(useTarget(body.request_uri)))).toMatchObject({ state: 'state-1', iss: issuer })
    const again = await browser.get(useTarget(body.request_uri))
    expect([again.status, again.headers.get('location')]).toEqual([400, null])
  })

  test('a pushed request ignores further parameters in the address', async () => {
    const { provider, browser } = await setUp()
    const { body } = await push(provider)
    const evil = '&redirect_uri=https%3A%2F%2Fevil.example%2F&scope=articles%3Aread&state=evil&code_challenge=x'
    expect(answerOf(await browser.get(useTarget(body.request_uri) + evil))).toMatchObject({ state: 'state-1' })
  })

  test('a pushed request of another client shows a page, and is unchanged', async () => {
    const { provider, browser } = await setUp()
    const { body } = await push(provider)
    const foreign = await browser.get(useTarget(body.request_uri, 'web'))
    expect([foreign.status, foreign.headers.get('location')]).toEqual([400, null])
    expect(answerOf(await browser.get(useTarget(body.request_uri))).code).toMatch(/^ac_/)
  })

  test('a pushed request expires after a minute', async () => {
    const { provider, browser } = await setUp()
    const { body } = await push(provider)
    provider.advance(60)
    expect((await browser.get(useTarget(body.request_uri))).status).toBe(400)
  })

  test.each([
    ['of another server', 'https://evil.example/request'],
    ['that is guessed', `urn:ietf:params:oauth:request_uri:pr_${'A'.repeat(22)}.${'A'.repeat(43)}`],
    ['that is empty', ''],
    ['that is a handle', 'urn:ietf:params:oauth:request_uri:ar_x'],
  ])('a request URI %s shows a page', async (_title, requestUri) => {
    const { browser } = await setUp()
    const response = await browser.get(useTarget(requestUri))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  })

  test('a request URI with another prefix shows a page', async () => {
    const { provider, browser } = await setUp()
    const { body } = await push(provider)
    const other = String(body.request_uri).replace('urn:ietf', 'urn:evil')
    expect((await browser.get(useTarget(other))).status).toBe(400)
  })

  test('is used by one of twenty concurrent requests', async () => {
    const { provider, browser } = await setUp()
    const { body } = await push(provider)
    const responses = await Promise.all(Array.from({ length: 20 }, () => browser.get(useTarget(body.request_uri))))
    expect(responses.filter(({ status }) => status === 303)).toHaveLength(1)
  })
})

describe('the endpoint of pushed requests', () => {
  test.each([
    ['an unregistered redirect', 'invalid_request', { redirect_uri: 'https://evil.example/' }],
    ['no challenge', 'invalid_request', { code_challenge: null }],
    ['a scope of other services', 'invalid_scope', { scope: 'audit:read' }],
    ['another resource', 'invalid_target', { resource: 'https://evil.example/' }],
    ['a request_uri in a pushed request', 'invalid_request', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }],
    ['a token in the address', 'unsupported_response_type', { response_type: 'token' }],
  ])('refuses %s at once', async (_title, error, changes) => {
    const { provider } = await setUp()
    const { status, body } = await push(provider, form(changes))
    expect([status, body.error]).toEqual([400, error])
  })

  test('authenticates a client with a secret', async () => {
    const { provider, browser } = await setUp()
    const address = 'https://web.example.com/callback?tenant=1'
    const own = form({ client_id: 'web', redirect_uri: address, scope: 'openid' })
    const wrong = await push(provider, { ...own, client_secret: 'wrong' })
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client'])
    expect((await push(provider, own)).body.error).toBe('invalid_client')
    const right = await push(provider, own, { authorization: `Basic ${btoa('web:secret-of-web')}` })
    expect(right.status).toBe(201)
    expect(answerOf(await browser.get(useTarget(right.body.request_uri, 'web')), address).code).toMatch(/^ac_/)
  })

  test('an invalid proof, and a proof of another key than the named key, are refused', async () => {
    const { provider } = await setUp()
    for (const proof of ['', 'evil', 'eyJhbGciOiJub25lIn0.e30.']) {
      const { status, body } = await push(provider, form(), { dpop: proof })
      expect([status, body.error]).toEqual([400, 'invalid_dpop_proof'])
    }
    const dpop = await proofOf(await createSigner('ES256'), { at: provider.now(), url: `${issuer}/par` })
    const { body } = await push(provider, form({ dpop_jkt: 'A'.repeat(43) }), { dpop })
    expect(body.error).toBe('invalid_dpop_proof')
  })

  test('only posted forms are read, and no parameter in the address', async () => {
    const { provider } = await setUp()
    const browser = provider.openBrowser()
    expect((await browser.get('/par')).status).toBe(405)
    expect((await browser.post('/par?client_id=spa', form())).status).toBe(400)
    expect((await browser.post('/par', '{}', { 'content-type': 'application/json' })).status).toBe(400)
    expect((await push(provider, form())).status).toBe(201)
  })
})
