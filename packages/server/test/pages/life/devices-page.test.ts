import { allowNativeDelivery } from '@latchkey/accounts'
import { createPkcePair } from '@latchkey/oauth'
import { describe, expect, test } from 'vitest'
import { createBench, password, type SignedIn } from '../../support/bench.ts'
import {
  answerTo,
  callback,
  createAskingBench,
  decide,
  leadsTo,
  open,
  requestPath,
} from '../../support/clients/asking.ts'
import { grantsOf } from '../../support/clients/grants-of.ts'
import { ownForm, titleOf } from '../../support/forms.ts'
import type { Answer, Delivery, Visitor } from '../../support/visitor.ts'

const bench = createAskingBench({ options: { sessions: { nativeDelivery: allowNativeDelivery } } })
const agents = {
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  safari:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
} as const

const like = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
const android = 'Mozilla/5.0 (Linux; Android 15; Pixel 9)'
const linux = 'Mozilla/5.0 (X11; Linux x86_64)'

/** Agents, and what people know them by. */
const named: readonly (readonly [agent: string, name: string])[] = [
  [`${linux} ${like} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [agents.firefox, 'Firefox on Linux'],
  [agents.safari, 'Safari on iOS'],
  [`${windows} ${like} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'Edge on Windows'],
  [`${linux} ${like} HeadlessChrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  ['Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36', 'Chrome on ChromeOS'],
  [`${android} ${like} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [`${phone} CriOS/140.0.0.0 Mobile/15E148 Safari/604.1`, 'Chrome on iOS'],
  [`${phone} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`, 'Firefox on iOS'],
  [`${phone} EdgiOS/140.0.0.0 Version/18.0 Mobile/15E148 Safari/604.1`, 'Edge on iOS'],
  [`${android} ${like} Chrome/140.0.0.0 Mobile Safari/537.36 EdgA/140.0.0.0`, 'Edge on Android'],
  [`${windows} ${like} Chrome/64.0.3282.140 Safari/537.36 Edge/18.17763`, 'Edge on Windows'],
  [`${windows} ${like} Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0`, 'Opera on Windows'],
  [`${phone} Version/18.5 Mobile/15E148 Safari/604.1 OPT/5.4`, 'Opera on iOS'],
  [`${android} ${like} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`, 'Samsung Internet on Android'],
  [`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`, 'Safari on macOS'],
  [
    `${linux} AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1`,
    `${linux} AppleWebKit/538.1 (KHTML, li…`,
  ],
  ['curl/8.15.0', 'curl/8.15.0'],
  ['python-requests/2.32.4', 'python-requests/2.32.4'],
  ['node', 'node'],
]

const namesOf = ({ text }: Answer) =>
  [...text.matchAll(/<span id="device-[^"]*"><strong>(?:<bdi>)?(.*?)(?:<\/bdi>)?<\/strong>/g)].map(([, name]) => name)

/** Another browser or application that signs in to an account. */
async function alsoSignedIn({ account }: SignedIn, agent: string, delivery: Delivery = 'SESSION'): Promise<Visitor> {
  const other = Object.assign(bench.visitor(), { headers: { 'user-agent': agent } })
  expect((await other.signIn(account.email, password, delivery)).status).toBe(200)
  return other
}

const sessionsOf = async ({ account: { id } }: SignedIn) => (await bench.server.accounts()).listSessions(id)
const endingOf = ({ text }: Answer) =>
  [...text.matchAll(/aria-labelledby="end-(\S+) device-\1"/g)].map(([, key]) => key)
const send = (visitor: Visitor, path: string, fields: Readonly<Record<string, string>> = {}, headers = ownForm) =>
  visitor.post(path, fields, headers)
const isSignedIn = async (visitor: Visitor) => (await visitor.ask('{ viewer { id } }')).status === 200

/** What a client of others was given: the consent, and a family of tokens. */
async function give(visitor: SignedIn): Promise<void> {
  const { verifier, challenge } = createPkcePair()
  const asked = { scope: 'openid offline_access', code_challenge: challenge }
  const { code = '' } = answerTo(await decide(visitor, await open(visitor, requestPath(asked)), 'allow'))
  const form = { grant_type: 'authorization_code', client_id: 'reader', redirect_uri: callback, code }
  expect((await bench.visitor().post('/token', { ...form, code_verifier: verifier })).status).toBe(200)
}

describe('/devices', () => {
  test('lists sessions with time and origin, the requesting browser first', async () => {
    const visitor = await bench.signedIn()
    const alone = await visitor.get('/devices')
    expect([alone.status, titleOf(alone), endingOf(alone)]).toEqual([200, 'Your devices', []])
    expect(alone.text).toContain('No other devices are signed in.')
    expect(alone.text).not.toContain('<form')
    bench.advance(60)
    await alsoSignedIn(visitor, agents.firefox)
    await alsoSignedIn(visitor, agents.safari, 'NATIVE')
    const { text } = await visitor.get('/devices')
    const names = [...text.matchAll(/<span id="device-[^"]*">(.*?)<\/span>(.*)/g)].map(([, name, mark]) => [name, mark])
    expect(names[0]?.[1]).toBe(' (this device)')
    expect(names.slice(1).sort()).toEqual([
      ['<strong>Firefox on Linux</strong>', ''],
      ['<strong>Safari on iOS</strong>', ''],
    ])
    const moment = '<time datetime="2027-01-15T08:0[01]:[^"]*">January 15, 2027 at 8:0[01]\\sAM UTC</time>'
    expect(text).toMatch(new RegExp(`Last used on ${moment}. Signed in on ${moment}`))
  })

  test('sorts the other devices by their last use', async () => {
    const visitor = await bench.signedIn()
    const opened: Visitor[] = []
    for (const agent of Object.values(named)
      .map(([agent]) => agent)
      .slice(0, 4)) {
      bench.advance(60)
      opened.push(await alsoSignedIn(visitor, agent))
    }
    // So much later a use is written down.
    bench.advance(600)
    const [first] = opened
    if (first) expect(await isSignedIn(first)).toBe(true)
    const names = namesOf(await visitor.get('/devices'))
    const [one, ...others] = Object.values(named)
      .slice(0, 4)
      .map(([, name]) => name)
    expect(names.slice(1)).toEqual([one, ...others.reverse()])
  })

  test.each(named)('calls %j %s', async (agent, name) => {
    const visitor = await bench.signedIn()
    await alsoSignedIn(visitor, agent)
    expect(namesOf(await visitor.get('/devices'))[1]).toBe(name)
  })

  test('names the applications that were given something, each with its client, and lists what they may do', async () => {
    const visitor = await bench.signedIn()
    await give(visitor)
    const page = await visitor.get('/devices')
    expect(page.text).toContain('App: <strong><bdi>Reader</bdi></strong></span>')
    expect(page.text).toContain('<h2>Apps with access</h2>')
    const client = (await sessionsOf(visitor)).find(({ clientId }) => clientId === 'reader')
    expect(leadsTo(await send(visitor, '/devices/end', { id: client?.key ?? '' }))).toBe('/devices')
    expect((await visitor.get('/devices')).text).not.toContain('App:')
    const [grant] = await grantsOf(bench, visitor.account.id)
    const removed = await send(visitor, '/account/applications/revoke', { id: grant?.grantId ?? '', from: 'devices' })
    expect(leadsTo(removed)).toBe('/devices')
    expect((await visitor.get('/devices')).text).not.toContain('Apps with access')
  })

  test('returns from the button of an application only to pages that have such a button', async () => {
    const visitor = await bench.signedIn()
    for (const from of ['', 'account', '//evil.example', 'https://evil.example', '/devices']) {
      expect(leadsTo(await send(visitor, '/account/applications/revoke', { id: 'x', from }))).toBe('/account')
    }
  })

  test('revokes one session, which is refused from then on, and keeps the others', async () => {
    const visitor = await bench.signedIn()
    const [first, second] = [await alsoSignedIn(visitor, agents.firefox), await alsoSignedIn(visitor, agents.safari)]
    const { text } = await visitor.get('/devices')
    const key = /aria-labelledby="end-(\S+) device-\1">/.exec(text.slice(text.indexOf('Firefox')))?.[1] ?? ''
    expect(leadsTo(await send(visitor, '/devices/end', { id: key }))).toBe('/devices')
    expect([await isSignedIn(first), await isSignedIn(second), await isSignedIn(visitor)]).toEqual([false, true, true])
    // Pressed twice, or late.
    expect(leadsTo(await send(visitor, '/devices/end', { id: key }))).toBe('/devices')
  })

  test('revokes all other sessions and applications, and keeps the requesting browser', async () => {
    const visitor = await bench.signedIn()
    const others = [
      await alsoSignedIn(visitor, agents.firefox),
      await alsoSignedIn(visitor, agents.safari, 'TOKEN'),
      await alsoSignedIn(visitor, agents.safari, 'NATIVE'),
    ]
    await give(visitor)
    expect(leadsTo(await send(visitor, '/devices/end-others'))).toBe('/devices')
    for (const other of others) expect(await isSignedIn(other)).toBe(false)
    expect((await visitor.get('/devices')).text).toContain('No other devices are signed in.')
    expect(await sessionsOf(visitor)).toHaveLength(1)
  })

  test('leads to the sign-in and back after the current session was revoked', async () => {
    const visitor = await bench.signedIn()
    const [own] = await sessionsOf(visitor)
    const answer = await send(visitor, '/devices/end', { id: own?.key ?? '' })
    expect(leadsTo(await visitor.get(leadsTo(answer)))).toBe('/sign-in?return_to=%2Fdevices')
  })

  test('redirects to the sign-in and back without a session', async () => {
    expect(leadsTo(await bench.visitor().get('/devices'))).toBe('/sign-in?return_to=%2Fdevices')
    for (const path of ['/devices/end', '/devices/end-others']) {
      expect(leadsTo(await send(bench.visitor(), path, { id: 'x' }))).toBe('/sign-in?return_to=%2Faccount')
    }
    const bearer = await bench.signedIn('READER', 'NATIVE')
    expect(leadsTo(await bearer.get('/devices'))).toBe('/sign-in?return_to=%2Fdevices')
  })

  test.each([
    ['nothing', '<strong><bdi>Unknown device</bdi></strong>', ''],
    ['markup', '<strong><bdi>&lt;b&gt;&quot; onload=&#39;</bdi></strong>', '<b>" onload=\''],
    ['more than anyone reads', `<bdi>${'x'.repeat(60)}…</bdi>`, 'x'.repeat(500)],
    ['an application', '<strong><bdi>notes/1.4 (android)</bdi></strong>', 'notes/1.4 (android)'],
    ['Edge', '<strong>Edge on Windows</strong>', 'Mozilla/5.0 (Windows NT 10.0) Chrome/139.0 Safari/537.36 Edg/139.0'],
    [
      'Chrome',
      '<strong>Chrome on macOS</strong>',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/139 Safari/537',
    ],
    ['Opera', '<strong>Opera on Android</strong>', 'Mozilla/5.0 (Linux; Android 15) Chrome/139 Safari/537 OPR/90'],
  ])('shows a browser that calls itself %s as plain text', async (_what, shown, agent) => {
    const visitor = await bench.signedIn()
    await alsoSignedIn(visitor, agent)
    expect((await visitor.get('/devices')).text).toContain(shown)
  })

  test('isolates text that changes the direction of its surroundings', async () => {
    const visitor = await bench.signedIn()
    const accounts = await bench.server.accounts()
    const device = { userAgent: 'a\u202eb\u2066c\0d', address: '\u202e10.0.0.7' }
    const form = { email: visitor.account.email, password, delivery: 'session', device } as const
    await accounts.signIn({ ...form, attempt })
    const { text } = await visitor.get('/devices')
    expect(text).toContain('<strong><bdi>a b c d</bdi></strong>')
    expect(text).toContain('from <bdi>10.0.0.7</bdi>')
  })

  test.each<
    [what: string, send: (id: string, owner: SignedIn) => Promise<{ readonly status: number }>, status: number]
  >([
    ['a form of another account', async (id) => send(await bench.signedIn(), '/devices/end', { id }), 303],
    [
      'a form of another site',
      (id, owner) => owner.post('/devices/end', { id }, { 'sec-fetch-site': 'cross-site' }),
      403,
    ],
    [
      'a form of another site that ends all others',
      (_id, owner) => owner.post('/devices/end-others', {}, { origin: 'null' }),
      403,
    ],
    ['a form without an id', (_id, owner) => send(owner, '/devices/end'), 303],
    [
      'a form with two ids',
      (id, owner) => owner.postText('/devices/end', `id=${id}&id=${id}`, { ...ownForm, 'content-type': formType }),
      303,
    ],
    [
      'a form with a list',
      (id, owner) => owner.postText('/devices/end', `id[]=${id}`, { ...ownForm, 'content-type': formType }),
      303,
    ],
    ['a link', (id, owner) => owner.get(`/devices/end?id=${id}`), 405],
    ['a link that ends all others', (_id, owner) => owner.get('/devices/end-others'), 405],
    ['a link to the page', (id, owner) => owner.get(`/devices?id=${id}`), 200],
  ])('ends nothing by %s', async (_what, attack, status) => {
    const owner = await bench.signedIn()
    const other = await alsoSignedIn(owner, agents.firefox)
    const { key = '' } = (await sessionsOf(owner)).find(({ device }) => device.userAgent === agents.firefox) ?? {}
    expect((await attack(key, owner)).status).toBe(status)
    expect([await isSignedIn(other), await isSignedIn(owner)]).toEqual([true, true])
  })

  test('is there before an account has the second factor that it must have', async () => {
    const visitor = await bench.signedIn()
    const strict = createAskingBench({
      beside: bench,
      options: { signIn: { secondFactor: { required: 'all', graceSeconds: 0 } } },
    })
    const other = strict.visitor()
    await other.post('/sign-in', { email: visitor.account.email, password }, ownForm)
    expect((await other.get('/devices')).status).toBe(200)
    expect(leadsTo(await send(other, '/devices/end-others'))).toBe('/devices')
    expect(await isSignedIn(visitor)).toBe(false)
  })

  test('is there without clients', async () => {
    const visitor = await createBench().signedIn()
    expect((await visitor.get('/devices')).status).toBe(200)
  })
})

const formType = 'application/x-www-form-urlencoded'
const attempt = { address: null, deviceToken: null, channel: 'native', requestId: null, userAgent: null } as const
