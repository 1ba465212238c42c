import { createOAuthClient, type OAuthClient, providers } from '@latchkey/oauth/client'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type CookieJar, createCookieJar, secrets } from './support/open-client.ts'
import { createTestProvider, type TestProvider } from './support/test-provider.ts'

const names = ['one', 'two'] as const
const browsers = ['here', 'there'] as const
type Name = (typeof names)[number]
type BrowserName = (typeof browsers)[number]

interface World {
  readonly providers: Readonly<Record<Name, TestProvider>>
  readonly clients: Readonly<Record<Name, OAuthClient>>
}

interface Variant {
  /** Providers redeem whatever code they are shown: nonce, `iss` and cookies alone are left. */
  readonly redeemsAnything?: boolean
  /** Providers do not name themselves in their answers: the addresses alone tell them apart. */
  readonly isNameless?: boolean
  /** Both clients have one redirect URI. */
  readonly isShared?: boolean
}

const now = () => 1_790_000_000_000

async function openWorld({ redeemsAnything = false, isNameless = false, isShared = false }: Variant): Promise<World> {
  const records = createMemoryRecordStore({ now })
  const open = async (name: Name) => {
    const issuer = `https://${name}.example`
    const provider = await createTestProvider({ issuer, now })
    provider.changes.redeemsAnything = redeemsAnything
    const named = !isNameless
    provider.changes.discovery = (all) => ({ ...all, authorization_response_iss_parameter_supported: named })
    const client = createOAuthClient({
      provider: providers.openid({ issuer, name }),
      clientId: 'client',
      clientSecret: 'secret',
      redirectUri: `https://app.example/${isShared ? '' : `${name}/`}callback`,
      sharesRedirectUri: isShared,
      records,
      secrets,
      fetch: provider.fetch,
      timeoutMs: 30_000,
      onEvent: () => {},
    })
    return { provider, client }
  }
  const [one, two] = [await open('one'), await open('two')]
  return {
    providers: { one: one.provider, two: two.provider },
    clients: { one: one.client, two: two.client },
  }
}

interface Begun {
  readonly name: Name
  readonly browser: BrowserName
  readonly answer: URLSearchParams
}

/** Begins a sign-in with each provider in each browser; all of them have answered. */
async function beginAll(world: World, variant: Variant) {
  const jars: Record<BrowserName, CookieJar> = { here: createCookieJar(), there: createCookieJar() }
  const begun: Begun[] = []
  for (const name of names) {
    for (const browser of browsers) {
      const { url, cookie } = await world.clients[name].begin({ cookieHeader: jars[browser].header() })
      jars[browser].keep(cookie)
      const answers = variant.isNameless ? { iss: null } : {}
      begun.push({ name, browser, answer: world.providers[name].authorize(url, answers).searchParams })
    }
  }
  return { jars, begun }
}

/** Every callback that can be put together of two providers, two browsers and all values of their four transactions. */
const callbacks = names.flatMap((at) =>
  browsers.flatMap((browser) =>
    [0, 1, 2, 3].flatMap((state) =>
      [0, 1, 2, 3].flatMap((code) => names.map((issuer) => ({ at, browser, state, code, issuer }))),
    ),
  ),
)

describe('callbacks combined from two providers and two browsers sign in only if all parts match', () => {
  test.each<readonly [string, Variant]>([
    ['by correct providers', {}],
    ['by providers that redeem any code', { redeemsAnything: true }],
    ['by providers that do not name themselves', { isNameless: true }],
    ['by providers that do not name themselves and redeem any code', { isNameless: true, redeemsAnything: true }],
    ['at one address for both', { isShared: true }],
    ['at one address for both, by providers that redeem any code', { isShared: true, redeemsAnything: true }],
  ])('%s', async (_title, variant) => {
    const world = await openWorld(variant)
    const signedIn: unknown[] = []
    for (const callback of callbacks) {
      const { jars, begun } = await beginAll(world, variant)
      const [state, code] = [begun[callback.state], begun[callback.code]]
      const url = new URL(`https://app.example/${variant.isShared ? '' : `${callback.at}/`}callback`)
      url.searchParams.set('state', state?.answer.get('state') ?? '')
      url.searchParams.set('code', code?.answer.get('code') ?? '')
      if (!variant.isNameless) url.searchParams.set('iss', `https://${callback.issuer}.example`)
      const verdict = await world.clients[callback.at].finish(url, jars[callback.browser].header())
      if (verdict.ok) signedIn.push({ ...callback, provider: verdict.provider, returned: verdict.issuer })
    }
    const isNamed = !variant.isNameless
    const matching = begunPlaces.flatMap(({ name, browser }, place) =>
      (isNamed ? [name] : names).map((issuer) => {
        const returned = `https://${name}.example`
        return { at: name, browser, state: place, code: place, issuer, provider: name, returned }
      }),
    )
    expect(signedIn).toEqual(matching)
  })
})

const begunPlaces = names.flatMap((name) => browsers.map((browser) => ({ name, browser })))

describe('one redirect URI for two providers', () => {
  const options = (name: Name, changes: Readonly<Record<string, unknown>> = {}) => ({
    provider: providers.openid({ issuer: `https://${name}.example`, name }),
    clientId: 'client',
    clientSecret: 'secret',
    redirectUri: 'https://app.example/callback',
    records,
    secrets,
    ...changes,
  })
  let records = createMemoryRecordStore()

  test.each([
    ['neither', false, false],
    ['only the first client', true, false],
    ['only the second client', false, true],
  ])('is refused if %s declares it as shared', (_title, first, second) => {
    records = createMemoryRecordStore()
    createOAuthClient(options('one', { sharesRedirectUri: first }))
    expect(() => createOAuthClient(options('two', { sharesRedirectUri: second }))).toThrow(
      /"redirectUri" is that of another/,
    )
    expect(() => createOAuthClient(options('one', { sharesRedirectUri: first }))).not.toThrow()
  })

  test('is an error for a provider that does not name itself in its answers', async () => {
    records = createMemoryRecordStore()
    const provider = await createTestProvider({ issuer: 'https://one.example', now })
    provider.changes.discovery = (all) => ({ ...all, authorization_response_iss_parameter_supported: false })
    const shared = { sharesRedirectUri: true, fetch: provider.fetch, onEvent: () => {} }
    await expect(createOAuthClient(options('one', shared)).begin()).rejects.toMatchObject({
      code: 'OAUTH_PROVIDER_INVALID',
    })
  })

  test('the issuer is required in the answer, also if the provider no longer promises it', async () => {
    records = createMemoryRecordStore({ now })
    const provider = await createTestProvider({ issuer: 'https://one.example', now })
    const shared = { sharesRedirectUri: true, fetch: provider.fetch, timeoutMs: 30_000, onEvent: () => {} }
    const { url, cookie } = await createOAuthClient(options('one', shared)).begin()
    provider.changes.discovery = (all) => ({ ...all, authorization_response_iss_parameter_supported: false })
    // Another process, which has not asked yet.
    const other = createOAuthClient(options('one', shared))
    const header = cookie.split(';')[0] ?? ''
    expect(await other.finish(provider.authorize(url, { iss: null }), header)).toMatchObject({ reason: 'issuer' })
    expect(await other.finish(provider.authorize(url), header)).toMatchObject({ ok: true })
  })

  test('is refused for a provider that cannot name itself', () => {
    const changes = { provider: providers.github, sharesRedirectUri: true }
    expect(() => createOAuthClient(options('one', changes))).toThrow(TypeError)
  })
})
