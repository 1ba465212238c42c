import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openClient } from './support/open-client.ts'

const runs = process.env.TEST_TIER === '3' ? 10_000 : 500

const name = fc.constantFrom('state', 'code', 'iss', 'error', 'handle', 'id_token', 'user', 'a', '')
const value = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.constantFrom(`0.${'A'.repeat(43)}`, 'https://one.example', 'access_denied', 'code-1'),
)
const query = fc.array(fc.tuple(name, value), { maxLength: 6 })
const cookieHeader = fc.oneof(
  fc.constant(null),
  fc.string({ unit: anyCharacter, maxLength: 80 }),
  fc
    .array(fc.tuple(fc.nat(9), fc.string({ maxLength: 60 })), { maxLength: 6 })
    .map((pairs) => pairs.map(([place, text]) => `__Host-oauth-${place}=${text}`).join('; ')),
)

describe('any request', () => {
  test('a random callback gets a verdict, signs in no user and sends no request to the provider', async () => {
    const { client, provider } = await openClient()
    await fc.assert(
      fc.asyncProperty(query, cookieHeader, async (parameters, cookies) => {
        const verdict = await client.finish(`/sign-in/one/callback?${new URLSearchParams(parameters)}`, cookies)
        expect(verdict).toMatchObject({ ok: false, reason: expect.stringMatching(/^(state|malformed)$/), cookie: null })
      }),
      { numRuns: runs },
    )
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter }), cookieHeader, async (address, cookies) => {
        expect(await client.finish(address, cookies)).toMatchObject({ ok: false })
      }),
      { numRuns: runs },
    )
    expect(provider.asked).toEqual([])
  })

  test('a cookie with a single wrong character signs in no user', async () => {
    const opened = await openClient()
    const callback = opened.provider.authorize(await opened.begin())
    const header = opened.jar.header() ?? ''
    await fc.assert(
      fc.asyncProperty(fc.nat(header.length - 1), fc.constantFrom(...'A0_.; ='), async (at, character) => {
        fc.pre(header[at] !== character)
        const changed = `${header.slice(0, at)}${character}${header.slice(at + 1)}`
        expect(await opened.client.finish(callback, changed)).toMatchObject({ ok: false, reason: 'state' })
      }),
      { numRuns: runs },
    )
    expect(await opened.finish(callback)).toMatchObject({ ok: true })
  })

  test('a random text is refused as a logout token and as a posted answer, and no keys are fetched', async () => {
    const { client, provider } = await openClient()
    const token = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.stringMatching(/^[\w-]{0,40}\.[\w-]{0,40}\.[\w-]{0,40}$/),
    )
    await fc.assert(
      fc.asyncProperty(token, async (text) => {
        expect(await client.verifyLogoutToken(text)).toMatchObject({ ok: false })
        expect(await client.receivePost(text)).toMatchObject({ ok: false })
      }),
      { numRuns: runs },
    )
    expect(provider.count('/jwks')).toBe(0)
  })
})
