import { randomBytes } from '@latchkey/bytes'
import { createRateLimit } from '@latchkey/rate-limit'
import { createMemoryCounterStore, createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import {
  authorizeTarget,
  createProvider,
  decideAt,
  issuer,
  locationOf,
  type Provider,
  spa,
  web,
} from './support/provider.ts'
import { openServer } from './tokens/open-server.ts'
import { createSigner, proofOf } from './tokens/signer.ts'

const now = () => 1_790_000_000_000

/** A store that remembers which kinds of records were written. */
function counted() {
  const records = createMemoryRecordStore({ now })
  const inserted: string[] = []
  const insert: RecordStore['insert'] = (record) => {
    inserted.push(record.key.split('_', 1)[0] ?? '')
    return records.insert(record)
  }
  return { records: { ...records, insert } as RecordStore, inserted }
}

const form = (changes: Readonly<Record<string, string | null>> = {}) =>
  Object.fromEntries(new URLSearchParams(authorizeTarget(changes).split('?')[1]))

const device = {
  ...spa,
  id: 'tv',
  redirectUris: [],
  grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'] as const,
}
const fixedClients = [spa, web, device]

/** As many things as an address may have stored within a minute. */
function limitOf(limit: number) {
  const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
  const counters = createMemoryCounterStore({ now })
  return createRateLimit({ counters, secrets, now, name: 'pending', limit, windowSeconds: 60 })
}

/** A `state` as long as one may be: its request is too long for an address. */
const long = 's'.repeat(2048)

describe('a request of a stranger', () => {
  test('many requests of strangers, of any kind, store no record', async () => {
    const { records, inserted } = counted()
    const { openBrowser } = await createProvider({ records })
    for (let sent = 0; sent < 50; sent++) {
      const browser = openBrowser()
      const asked = await browser.get(authorizeTarget())
      expect(locationOf(asked).pathname).toBe('/sign-in')
      expect((await browser.get(locationOf(asked).searchParams.get('return_to') ?? '')).status).toBe(303)
      expect((await browser.get(authorizeTarget({ prompt: 'none' }))).status).toBe(303)
      const posted = await browser.post('/authorize', form(), { 'sec-fetch-site': 'cross-site' })
      expect((await browser.get(posted.headers.get('location') ?? '')).status).toBe(303)
    }
    expect(inserted).toEqual([])
  })

  test('the return path of a request with a state of any length has at most 2048 characters', async () => {
    const { records, inserted } = counted()
    const { openBrowser } = await createProvider({ records })
    for (let length = 1; length <= 2048; length += 89) {
      const state = 's'.repeat(length)
      const asked = await openBrowser().get(authorizeTarget({ state }))
      const returnTo = locationOf(asked).searchParams.get('return_to') ?? ''
      expect(returnTo).toMatch(/^\/authorize\?handle=[\w.%-]+$/)
      expect(returnTo.length).toBeLessThanOrEqual(2048)
    }
    expect(new Set(inserted)).toEqual(new Set(['ar']))
  })

  test('a request that is too long for an address is stored up to a limit for each client address', async () => {
    const { records, inserted } = counted()
    const addresses = ['192.0.2.1']
    const { openBrowser } = await createProvider({
      records,
      fixedClients,
      pendingLimit: limitOf(3),
      addressOf: () => addresses[0] ?? '',
    })
    const browser = openBrowser()
    expect((await browser.get(authorizeTarget({ state: long }))).status).toBe(303)
    expect((await browser.post('/authorize', form({ state: long }))).status).toBe(303)
    expect((await browser.post('/end-session', { state: long })).status).toBe(404)
    expect((await browser.post('/par', form())).status).toBe(201)
    expect(inserted).toHaveLength(3)
    for (const refused of [
      await browser.get(authorizeTarget({ state: long })),
      await browser.post('/authorize', form({ state: long })),
      await browser.post('/par', form()),
      await browser.post('/device_authorization', { client_id: 'tv', scope: 'openid' }),
    ]) {
      expect(refused.status).toBe(429)
      expect(refused.headers.get('location')).toBeNull()
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(inserted).toHaveLength(3)
    expect((await browser.get(authorizeTarget())).status).toBe(303)
    addresses[0] = '192.0.2.2'
    expect((await browser.post('/par', form())).status).toBe(201)
  })

  test('a logout that another site posts is not stored, and a long one is limited', async () => {
    const { records, inserted } = counted()
    const options = { records, pendingLimit: limitOf(1), signOut: () => [] }
    const { openBrowser } = await createProvider(options)
    const browser = openBrowser()
    const short = await browser.post('/end-session', { client_id: 'spa', state: 'a' })
    expect([short.status, inserted]).toEqual([303, []])
    expect((await browser.get(short.headers.get('location') ?? '')).status).toBe(200)
    const statuses = []
    for (const state of [long, long]) statuses.push((await browser.post('/end-session', { state })).status)
    expect([statuses, inserted]).toEqual([[303, 429], ['pp']])
  })

  test('proofs are stored for requests that get tokens, and up to a limit for other requests', async () => {
    const { records, inserted } = counted()
    const options = { pendingLimit: limitOf(3) }
    const { signIn, refresh, now: at } = await openServer({ records: () => records, options })
    const signer = await createSigner('ES256')
    const proof = async () => ({ dpop: await proofOf(signer, { at: at() }) })
    let { refresh_token: token } = await signIn('spa', {}, await proof())
    for (let used = 0; used < 10; used++) token = (await refresh(token, {}, await proof())).body.refresh_token
    expect(token).toMatch(/^rt_/)
    const before = inserted.length
    const statuses: number[] = []
    for (let sent = 0; sent < 6; sent++) statuses.push((await refresh('rt_x', {}, await proof())).status)
    expect([statuses, inserted.slice(before)]).toEqual([
      [400, 400, 400, 429, 429, 429],
      ['dp', 'dp', 'dp'],
    ])
    expect((await refresh('rt_x')).status).toBe(400)
  })

  test('proofs of a waiting device do not count, because it has presented its device code', async () => {
    const { post, advance, now: at } = await openServer({ options: { pendingLimit: limitOf(2) } })
    const signer = await createSigner('ES256')
    const begun = await post('/device_authorization', { client_id: 'tv', scope: 'openid' })
    const grant = 'urn:ietf:params:oauth:grant-type:device_code'
    const form = { grant_type: grant, client_id: 'tv', device_code: begun.body.device_code ?? '' }
    for (let polled = 0; polled < 5; polled++) {
      advance(5)
      const { body } = await post('/token', form, { dpop: await proofOf(signer, { at: at() }) })
      expect(body.error).toBe('authorization_pending')
    }
  })

  test('an authenticated client has no limit of pushed requests', async () => {
    const { openBrowser } = await createProvider({ pendingLimit: limitOf(1) })
    const pushed = { ...form({ client_id: null, redirect_uri: web.redirectUris?.[0] ?? '' }), client_id: 'web' }
    const authorization = `Basic ${btoa('web:secret-of-web')}`
    for (let sent = 0; sent < 3; sent++) {
      expect((await openBrowser().post('/par', pushed, { authorization })).status).toBe(201)
    }
  })

  test('by default an address can push three hundred requests in a minute', async () => {
    const { openBrowser } = await createProvider({})
    const browser = openBrowser()
    for (let sent = 0; sent < 300; sent++) expect((await browser.post('/par', form())).status).toBe(201)
    expect((await browser.post('/par', form())).status).toBe(429)
  })
})

describe('a request that travels in its handle', () => {
  async function waiting(provider: Provider) {
    const browser = provider.openBrowser()
    browser.signIn()
    const asked = await browser.get(authorizeTarget())
    return { browser, asked, handle: locationOf(asked).searchParams.get('handle') ?? '' }
  }

  test('is answered once of fifty concurrent answers, and is unknown afterwards', async () => {
    const provider = await createProvider()
    const { browser, handle } = await waiting(provider)
    const token = (await provider.server.readRequest(browser.request('/consent'), handle))?.token ?? null
    const decide = (_none: unknown, index: number) =>
      provider.server.decide(browser.request('/consent'), { handle, token, decision: index % 2 ? 'allow' : 'deny' })
    const verdicts = await Promise.all(Array.from({ length: 50 }, decide))
    expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await provider.server.readRequest(browser.request('/consent'), handle)).toBeNull()
    const again = await browser.get(`/authorize?handle=${encodeURIComponent(handle)}`)
    expect([again.status, again.headers.get('location')]).toEqual([400, null])
  })

  test('is remembered as answered until it expires', async () => {
    const provider = await createProvider({ requestSeconds: 600 })
    const { browser, asked, handle } = await waiting(provider)
    await decideAt(provider, browser, asked, 'deny')
    for (const seconds of [300, 299]) {
      provider.advance(seconds)
      expect(await provider.server.readRequest(browser.request('/consent'), handle)).toBeNull()
    }
    const later = await waiting(provider)
    provider.advance(599)
    expect(await provider.server.readRequest(later.browser.request('/consent'), later.handle)).not.toBeNull()
    provider.advance(1)
    expect(await provider.server.readRequest(later.browser.request('/consent'), later.handle)).toBeNull()
  })

  test('is answered once by a process whose clock is a minute behind the clock of its store', async () => {
    const aheadMs = 59_999
    let time = 1_790_000_000_000
    const records = createMemoryRecordStore({ now: () => time + aheadMs })
    const provider = await createProvider({ now: () => time, records })
    const { browser, asked, handle } = await waiting(provider)
    await decideAt(provider, browser, asked, 'deny')
    time += 1_799_999
    expect(await provider.server.readRequest(browser.request('/consent'), handle)).toBeNull()
  })

  test('a handle with a request is refused in another browser, altered, as a posted form, and at another server', async () => {
    const provider = await createProvider()
    const { browser, handle } = await waiting(provider)
    const stranger = provider.openBrowser()
    stranger.signIn('acc_eve')
    await stranger.get(authorizeTarget())
    const read = (one: typeof browser, text: string) => provider.server.readRequest(one.request('/consent'), text)
    expect(await read(stranger, handle)).toBeNull()
    expect(await read(browser, handle)).not.toBeNull()
    const last = handle.at(-1) === 'A' ? 'B' : 'A'
    for (const altered of [
      `${handle.slice(0, -1)}${last}`,
      `${handle}A`,
      handle.replace('ar.', 'pp.'),
      'ar.',
      'ar.a.',
    ]) {
      expect(await read(browser, altered)).toBeNull()
    }
    const elsewhere = await createProvider({ secrets: [{ id: 'a', bytes: randomBytes(32) }] })
    const cookie = { cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') }
    const sent = new Request(`${issuer}/authorize?handle=${encodeURIComponent(handle)}`, { headers: cookie })
    expect((await elsewhere.server.fetch(sent)).status).toBe(400)
  })

  test('a handle reveals no parameter of its request', async () => {
    const provider = await createProvider()
    const asked = await provider.openBrowser().get(authorizeTarget({ state: 'secret-state', nonce: 'secret-nonce' }))
    const text = decodeURIComponent(asked.headers.get('location') ?? '')
    const [, , box = ''] = /handle=ar\.([\w-]+)\.([\w-]+)/.exec(text) ?? []
    for (const shown of [text, Buffer.from(box, 'base64url').toString('latin1')]) {
      expect(shown).not.toMatch(/secret-state|secret-nonce/)
    }
  })
})
