import { describe, expect, test } from 'vitest'
import {
  answerOf,
  authorizeTarget,
  type Browser,
  callback,
  createProvider,
  decideAt,
  issuer,
  locationOf,
} from './support/provider.ts'

const password = (at: number) => ({ kind: 'password', at, category: 'know' }) as const
const totp = (at: number) => ({ kind: 'totp', at, category: 'have' }) as const

describe('a visitor who is not signed in', () => {
  test('is sent to the sign-in page, from there to consent, and then back to the client with a code', async () => {
    const provider = await createProvider()
    const browser = provider.openBrowser()
    const asked = await browser.get(authorizeTarget({ login_hint: 'ada@example.com' }))
    const signInPage = locationOf(asked)
    expect([asked.status, signInPage.pathname]).toEqual([303, '/sign-in'])
    expect(signInPage.searchParams.get('login_hint')).toBe('ada@example.com')
    expect(asked.headers.get('cache-control')).toBe('no-store')
    const shown = await provider.server.readRequest(browser.request('/sign-in'), signInPage.searchParams.get('handle'))
    expect(shown).toMatchObject({ client: { id: 'spa', name: 'Reader' }, subject: null, token: null })
    browser.signIn()
    const resumed = await browser.get(signInPage.searchParams.get('return_to') ?? '')
    const location = await decideAt(provider, browser, resumed)
    expect(`${location.origin}${location.pathname}`).toBe(callback)
    expect(location.searchParams.get('state')).toBe('state-1')
    expect(location.searchParams.get('iss')).toBe(issuer)
    expect(location.searchParams.get('code')).toMatch(/^ac_/)
  })

  test('comes back to the sign-in page until the user has signed in', async () => {
    const browser = (await createProvider()).openBrowser()
    const resume = locationOf(await browser.get(authorizeTarget())).searchParams.get('return_to') ?? ''
    const again = locationOf(await browser.get(resume))
    expect(again.pathname).toBe('/sign-in')
    expect(again.searchParams.get('return_to')).toBe(resume)
  })
})

describe('consent', () => {
  test('a consent is remembered, and further scopes are asked on their own', async () => {
    const provider = await createProvider()
    const browser = provider.openBrowser()
    browser.signIn()
    await decideAt(provider, browser, await browser.get(authorizeTarget()))
    expect(answerOf(await browser.get(authorizeTarget({ scope: 'openid' })))).toMatchObject({ iss: issuer })
    const more = await browser.get(authorizeTarget({ scope: ' openid  comments:create ' }))
    const handle = locationOf(more).searchParams.get('handle')
    expect(await provider.server.readRequest(browser.request('/consent'), handle)).toMatchObject({
      scopes: ['openid', 'comments:create'],
      newScopes: ['comments:create'],
      redirectTarget: 'spa.example.com',
      formTarget: 'https://spa.example.com',
      subject: 'acc_ada',
    })
    const [grant] = await provider.server.listGrants('acc_ada')
    expect(grant).toMatchObject({ clientId: 'spa', scopes: ['openid', 'articles:read'] })
    expect(provider.events).toMatchObject([{ type: 'grant.given', accountId: 'acc_ada', clientId: 'spa' }])
  })

  test('a consent is asked again with prompt=consent, and from each account separately', async () => {
    const provider = await createProvider()
    const browser = provider.openBrowser()
    browser.signIn()
    await decideAt(provider, browser, await browser.get(authorizeTarget()))
    expect(locationOf(await browser.get(authorizeTarget({ prompt: 'consent' }))).pathname).toBe('/consent')
    browser.signIn('acc_eve')
    expect(locationOf(await browser.get(authorizeTarget())).pathname).toBe('/consent')
  })

  test('a trusted client is asked for a consent only with prompt=consent', async () => {
    const provider = await createProvider({ consent: ({ client }) => (client.id === 'spa' ? 'granted' : 'ask') })
    const browser = provider.openBrowser()
    browser.signIn()
    expect(answerOf(await browser.get(authorizeTarget())).code).toMatch(/^ac_/)
    expect(await provider.server.listGrants('acc_ada')).toMatchObject([{ clientId: 'spa' }])
    expect(locationOf(await browser.get(authorizeTarget({ prompt: 'consent' }))).pathname).toBe('/consent')
  })

  test('a refused consent is sent to the client, and no consent is stored', async () => {
    const provider = await createProvider()
    const browser = provider.openBrowser()
    browser.signIn()
    const location = await decideAt(provider, browser, await browser.get(authorizeTarget()), 'deny')
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'The user denied the request.',
      state: 'state-1',
      iss: issuer,
    })
    expect(await provider.server.listGrants('acc_ada')).toEqual([])
    expect(provider.events).toMatchObject([{ type: 'grant.denied', accountId: 'acc_ada', clientId: 'spa' }])
  })

  test('a withdrawn consent is asked again, and only its own account can withdraw it', async () => {
    const provider = await createProvider()
    const browser = provider.openBrowser()
    browser.signIn()
    await decideAt(provider, browser, await browser.get(authorizeTarget()))
    const [grant] = await provider.server.listGrants('acc_ada')
    expect(await provider.server.revokeGrant('acc_eve', grant?.id ?? '')).toBe(false)
    expect(answerOf(await browser.get(authorizeTarget())).code).toMatch(/^ac_/)
    expect(await provider.server.revokeGrant('acc_ada', grant?.id ?? '')).toBe(true)
    expect(await provider.server.revokeGrant('acc_ada', grant?.id ?? '')).toBe(false)
    expect(locationOf(await browser.get(authorizeTarget())).pathname).toBe('/consent')
    expect(provider.events.at(-1)).toMatchObject({ type: 'grant.revoked', accountId: 'acc_ada', clientId: 'spa' })
  })

  interface Forgery {
    readonly browser: Browser
    readonly thief: Browser
    /** Of the page that is answered, and of another one. */
    readonly token: string | null
    readonly otherToken: string | null
  }
  type Attempt = readonly [from: Browser, token: string | null]

  const forgeries: readonly [title: string, reason: string, forge: (forgery: Forgery) => Attempt][] = [
    ['in another browser', 'unknown', ({ thief, token }) => [thief, token]],
    [
      'by another session than the page was made for',
      'token',
      ({ browser, token }) => {
        browser.signIn()
        return [browser, token]
      },
    ],
    ['without the token of the page', 'token', ({ browser }) => [browser, null]],
    ['with the token of another request', 'token', ({ browser, otherToken }) => [browser, otherToken]],
    [
      'without a sign-in',
      'signed-out',
      ({ browser, token }) => {
        browser.signOut()
        return [browser, token]
      },
    ],
  ]

  test.each(forgeries)('is not given %s', async (_title, reason, forge) => {
    const provider = await createProvider()
    const [browser, thief] = [provider.openBrowser(), provider.openBrowser()]
    browser.signIn()
    thief.cookies.set('session', browser.cookies.get('session') ?? '')
    const open = async () => {
      const handle = locationOf(await browser.get(authorizeTarget())).searchParams.get('handle') ?? ''
      const shown = await provider.server.readRequest(browser.request('/consent'), handle)
      return { handle, token: shown?.token ?? null }
    }
    const [{ handle, token }, other] = [await open(), await open()]
    const [from, shown] = forge({ browser, thief, token, otherToken: other.token })
    const decision = { handle, token: shown, decision: 'allow' } as const
    expect(await provider.server.decide(from.request('/consent'), decision)).toEqual({ ok: false, reason })
    expect(await provider.server.listGrants('acc_ada')).toEqual([])
    expect(provider.events).toEqual([])
  })

  test('is not given without the token that binds the form to its session', async () => {
    const provider = await createProvider()
    const browser = provider.openBrowser()
    browser.signIn()
    const handle = locationOf(await browser.get(authorizeTarget())).searchParams.get('handle') ?? ''
    const decision = { handle, token: null, decision: 'allow' } as const
    expect(await provider.server.decide(browser.request('/consent'), decision)).toMatchObject({ reason: 'token' })
    expect(await provider.server.listGrants('acc_ada')).toEqual([])
  })

  test('is given once: of fifty concurrent forms one succeeds', async () => {
    const provider = await createProvider()
    const browser = provider.openBrowser()
    browser.signIn()
    const handle = locationOf(await browser.get(authorizeTarget())).searchParams.get('handle') ?? ''
    const { token = null } = (await provider.server.readRequest(browser.request('/consent'), handle)) ?? {}
    const decision = { handle, token, decision: 'allow' } as const
    const post = () => provider.server.decide(browser.request('/consent'), decision)
    const verdicts = await Promise.all(Array.from({ length: 50 }, post))
    expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await post()).toEqual({ ok: false, reason: 'unknown' })
  })

  test('a decision before the sign-in that the request requires leads to the sign-in, and no consent is stored', async () => {
    const provider = await createProvider()
    const browser = provider.openBrowser()
    browser.signIn()
    provider.advance(10)
    const handle = locationOf(await browser.get(authorizeTarget({ prompt: 'login' }))).searchParams.get('handle') ?? ''
    const { token = null } = (await provider.server.readRequest(browser.request('/consent'), handle)) ?? {}
    const verdict = await provider.server.decide(browser.request('/consent'), { handle, token, decision: 'allow' })
    expect(verdict).toEqual({ ok: true, location: `/authorize?handle=${handle}` })
    expect(await provider.server.listGrants('acc_ada')).toEqual([])
  })
})

describe('a request that waits', () => {
  test('a waiting request continues in its own browser only', async () => {
    const provider = await createProvider()
    const [browser, other] = [provider.openBrowser(), provider.openBrowser()]
    const resume = locationOf(await browser.get(authorizeTarget())).searchParams.get('return_to') ?? ''
    other.signIn('acc_eve')
    await other.get(authorizeTarget())
    const refused = await other.get(resume)
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null])
    expect(await provider.server.readRequest(other.request('/consent'), resume.split('=')[1] ?? '')).toBeNull()
  })

  test('several requests of one browser wait at the same time', async () => {
    const browser = (await createProvider()).openBrowser()
    const resumes = []
    for (const state of ['one', 'two']) {
      resumes.push(locationOf(await browser.get(authorizeTarget({ state }))).searchParams.get('return_to') ?? '')
    }
    browser.signIn()
    for (const resume of resumes) expect(locationOf(await browser.get(resume)).pathname).toBe('/consent')
  })

  test('a request that continues many times at once is answered once', async () => {
    const provider = await createProvider({ consent: () => 'granted' })
    const browser = provider.openBrowser()
    const resume = locationOf(await browser.get(authorizeTarget())).searchParams.get('return_to') ?? ''
    browser.signIn()
    const responses = await Promise.all(Array.from({ length: 20 }, () => browser.get(resume)))
    expect(responses.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(19)
  })

  test('a waiting request expires, and is answered once', async () => {
    const provider = await createProvider({ requestSeconds: 60 })
    const browser = provider.openBrowser()
    browser.signIn()
    const first = await browser.get(authorizeTarget({ prompt: 'consent' }))
    await decideAt(provider, browser, first)
    const again = await browser.get(`/authorize?handle=${locationOf(first).searchParams.get('handle')}`)
    expect(again.status).toBe(400)
    const late = locationOf(await browser.get(authorizeTarget({ prompt: 'consent' }))).searchParams.get('handle')
    provider.advance(60)
    expect(await provider.server.readRequest(browser.request('/consent'), late)).toBeNull()
    expect((await browser.get(`/authorize?handle=${late}`)).status).toBe(400)
  })
})

describe('prompt, max_age and acr_values', () => {
  async function allowed() {
    const provider = await createProvider({ consent: () => 'granted' })
    const browser = provider.openBrowser()
    return { provider, browser }
  }

  test('prompt=none shows the user no page', async () => {
    const provider = await createProvider()
    const browser = provider.openBrowser()
    expect(answerOf(await browser.get(authorizeTarget({ prompt: 'none' })))).toMatchObject({
      error: 'login_required',
      state: 'state-1',
      iss: issuer,
    })
    browser.signIn()
    expect(answerOf(await browser.get(authorizeTarget({ prompt: 'none' })))).toMatchObject({
      error: 'consent_required',
    })
    await decideAt(provider, browser, await browser.get(authorizeTarget()))
    expect(answerOf(await browser.get(authorizeTarget({ prompt: 'none' }))).code).toMatch(/^ac_/)
  })

  test.each(['login', 'select_account'])('prompt=%s asks a signed-in user to sign in again', async (prompt) => {
    const { provider, browser } = await allowed()
    browser.signIn()
    provider.advance(1)
    const signInPage = locationOf(await browser.get(authorizeTarget({ prompt })))
    expect([signInPage.pathname, signInPage.searchParams.get('prompt')]).toEqual(['/sign-in', 'login'])
    const resume = signInPage.searchParams.get('return_to') ?? ''
    expect(locationOf(await browser.get(resume)).pathname).toBe('/sign-in')
    provider.advance(1)
    browser.signIn()
    expect(answerOf(await browser.get(resume)).code).toMatch(/^ac_/)
  })

  test('max_age asks a user with an older sign-in to sign in again', async () => {
    const { provider, browser } = await allowed()
    browser.signIn()
    provider.advance(60)
    expect(answerOf(await browser.get(authorizeTarget({ max_age: '61' }))).code).toMatch(/^ac_/)
    expect(answerOf(await browser.get(authorizeTarget({ max_age: '60', prompt: 'none' })))).toMatchObject({
      error: 'login_required',
    })
    const signInPage = locationOf(await browser.get(authorizeTarget({ max_age: '0' })))
    expect(signInPage.pathname).toBe('/sign-in')
    browser.signIn()
    expect(answerOf(await browser.get(signInPage.searchParams.get('return_to') ?? '')).code).toMatch(/^ac_/)
  })

  const undated = { kind: 'provider', at: 0, category: 'know' } as const
  test.each<[string, Readonly<Record<string, string>>]>([
    ['prompt=login', { prompt: 'login' }],
    ['max_age', { max_age: '60' }],
  ])(
    'a user whose sign-in has no time is asked once for %s, and the client then gets login_required',
    async (_what, asked) => {
      const { provider, browser } = await allowed()
      browser.signIn('acc_ada', [undated])
      const resume = async () => {
        const signInPage = locationOf(await browser.get(authorizeTarget(asked)))
        expect(signInPage.pathname).toBe('/sign-in')
        return signInPage.searchParams.get('return_to') ?? ''
      }
      const first = await resume()
      browser.signIn('acc_ada', [undated])
      expect(answerOf(await browser.get(first))).toMatchObject({
        error: 'login_required',
        state: 'state-1',
        iss: issuer,
      })
      const second = await resume()
      browser.signIn('acc_ada', [undated, totp(provider.now())])
      expect(answerOf(await browser.get(second)).code).toMatch(/^ac_/)
      browser.signIn('acc_ada', [undated])
      expect(answerOf(await browser.get(authorizeTarget())).code).toMatch(/^ac_/)
    },
  )

  test('acr_values asks once for a second factor, and then continues with the factors of the session', async () => {
    const { provider, browser } = await allowed()
    const asked = authorizeTarget({ acr_values: 'urn:example:other urn:latchkey:2fa' })
    browser.signIn()
    const signInPage = locationOf(await browser.get(asked))
    expect([signInPage.pathname, signInPage.searchParams.get('acr_values')]).toEqual(['/sign-in', 'urn:latchkey:2fa'])
    expect(answerOf(await browser.get(signInPage.searchParams.get('return_to') ?? '')).code).toMatch(/^ac_/)
    browser.signIn('acc_ada', [password(provider.now()), totp(provider.now())])
    expect(answerOf(await browser.get(asked)).code).toMatch(/^ac_/)
    expect(answerOf(await browser.get(authorizeTarget({ acr_values: 'urn:latchkey:1fa' }))).code).toMatch(/^ac_/)
  })

  test.each<[what: string, asked: Readonly<Record<string, string>>, needs: string | null, afterwards: string | null]>([
    ['prompt=login', { prompt: 'login' }, 'sign-in', null],
    ['max_age', { max_age: '5' }, 'sign-in', null],
    ['acr_values', { acr_values: 'urn:latchkey:2fa' }, 'second-factor', 'second-factor'],
    ['both of them', { acr_values: 'urn:latchkey:2fa', prompt: 'login' }, 'sign-in', 'second-factor'],
    ['neither', { prompt: 'consent', acr_values: 'urn:latchkey:1fa' }, null, null],
  ])('a request with %s tells its pages the next step of the user', async (_what, asked, needs, afterwards) => {
    const provider = await createProvider()
    const browser = provider.openBrowser()
    browser.signIn()
    provider.advance(10)
    const handle = locationOf(await browser.get(authorizeTarget(asked))).searchParams.get('handle')
    const read = () => provider.server.readRequest(browser.request('/sign-in'), handle)
    expect(await read()).toMatchObject({ needs, acrValues: asked.acr_values ? [asked.acr_values] : [] })
    browser.signIn()
    expect(await read()).toMatchObject({ needs: afterwards })
    browser.signIn('acc_ada', [password(provider.now()), totp(provider.now())])
    expect(await read()).toMatchObject({ needs: null })
    browser.signOut()
    expect(await read()).toMatchObject({ needs: 'sign-in', subject: null, token: null })
  })

  test('a request that continues and is denied at the same time has one answer, and a denied consent is not stored', async () => {
    const outcomes = new Set<boolean>()
    for (let round = 0; round < 15; round++) {
      let answer: 'ask' | 'granted' = 'ask'
      const provider = await createProvider({ consent: () => answer })
      const { server, openBrowser, events } = provider
      const browser = openBrowser()
      browser.signIn()
      const asked = await browser.get(authorizeTarget())
      const handle = locationOf(asked).searchParams.get('handle') ?? ''
      const token = (await server.readRequest(browser.request('/consent'), handle))?.token ?? null
      answer = 'granted'
      const goOn = () => browser.get(`/authorize?handle=${encodeURIComponent(handle)}`)
      const deny = async () => {
        // Of one round to the next it comes a turn later.
        for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve))
        return server.decide(browser.request('/consent'), { handle, token, decision: 'deny' })
      }
      const isDenied = (await Promise.all([goOn(), deny()])).some((one) => 'ok' in one && 'location' in one)
      expect(await server.listGrants('acc_ada')).toHaveLength(isDenied ? 0 : 1)
      expect(events.filter(({ type }) => type === 'grant.given')).toHaveLength(isDenied ? 0 : 1)
      outcomes.add(isDenied)
    }
    expect(outcomes).toEqual(new Set([true, false]))
  })
})
