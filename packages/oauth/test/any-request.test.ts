import { createPkcePair, verifyPkce } from '@latchkey/oauth'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { authorizeTarget, callback, createProvider, pair } from './support/provider.ts'

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string(),
  fc.constantFrom('', callback, 'spa', 'openid', 'S256'),
)

const names = [
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'nonce', 'code_challenge', 'prompt', 'max_age'],
  ...['code_challenge_method', 'request_uri', 'id_token_hint', 'resource', 'handle', 'dpop_jkt', 'acr_values'],
]

describe('any request', () => {
  test('a random authorization request leads only to pages of the server or to the registered address', async () => {
    const provider = await createProvider({ consent: () => 'granted' })
    const browser = provider.openBrowser()
    browser.signIn()
    const changes = fc.dictionary(fc.constantFrom(...names), anyText, { maxKeys: 4 })
    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        const response = await browser.get(authorizeTarget(changed))
        const location = response.headers.get('location')
        const isPage = response.status === 400 && location === null
        const isOwn = /^(?:https:\/\/spa\.example\.com\/callback\?|\/sign-in\?|\/consent\?)/.test(location ?? '')
        expect(isPage || (response.status === 303 && isOwn), `${response.status} ${location}`).toBe(true)
      }),
    )
  })

  test('a request with any bytes in its address causes no failure', async () => {
    const { server, openBrowser } = await createProvider()
    const request = openBrowser().request('/authorize')
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('/authorize', '/end-session', '/token', '/par'), anyText, async (path, text) => {
        const response = await server.handle({ ...request, target: `${path}?${text}` })
        expect([400, 404, 405]).toContain(response.status)
      }),
    )
  })
})

describe('PKCE', () => {
  test('a challenge is met by its verifier and by no other text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(verifyPkce(text, pair.challenge)).toBe(false)
        expect(verifyPkce(pair.verifier, text)).toBe(false)
      }),
    )
    const { verifier, challenge, method } = createPkcePair()
    expect([verifyPkce(verifier, challenge), verifyPkce(null, challenge), method]).toEqual([true, false, 'S256'])
    expect(verifier).toMatch(/^[\w-]{43}$/)
  })

  test('a verifier meets the challenge of RFC 7636, appendix B', () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
    expect(verifyPkce(verifier, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')).toBe(true)
  })

  test.each([
    ['short', 'a'.repeat(42)],
    ['long', 'a'.repeat(129)],
    ['of other characters', `${'a'.repeat(42)}+`],
  ])('a verifier that is %s meets no challenge, not even its own', async (_title, verifier) => {
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
    expect(verifyPkce(verifier, Buffer.from(digest).toString('base64url'))).toBe(false)
  })
})
