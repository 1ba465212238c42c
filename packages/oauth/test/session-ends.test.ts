import { expect, test } from 'vitest'
import { answerOf, authorizeTarget, type Browser, callback, createProvider, pair } from './support/provider.ts'

async function give(browser: Browser, scope: string): Promise<string> {
  const { code = '' } = answerOf(await browser.get(authorizeTarget({ scope })))
  const form = { grant_type: 'authorization_code', client_id: 'spa', redirect_uri: callback, code }
  const response = await browser.post('/token', { ...form, code_verifier: pair.verifier })
  return JSON.parse(await response.text()).access_token
}

test('the end of a session revokes exactly its codes and tokens without offline_access', async () => {
  const { server, openBrowser } = await createProvider({ consent: () => 'granted' })
  const browser = openBrowser()
  const session = browser.signIn()
  const bound = await give(browser, 'openid')
  const kept = await give(browser, 'openid offline_access')
  const statusOf = async (token: string) =>
    (await openBrowser().get('/userinfo', { authorization: `Bearer ${token}` })).status
  await server.endSession('acc_ada', `${session.key}x`)
  expect(await statusOf(bound)).toBe(200)
  const late = answerOf(await browser.get(authorizeTarget({ scope: 'openid' }))).code ?? ''
  await server.endSession('acc_ada', session.key)
  expect([await statusOf(bound), await statusOf(kept)]).toEqual([401, 200])
  const form = { grant_type: 'authorization_code', client_id: 'spa', redirect_uri: callback, code: late }
  expect((await browser.post('/token', { ...form, code_verifier: pair.verifier })).status).toBe(400)
})

test('a session that ends again, after an end that failed, gives no tokens for eleven minutes from then on', async () => {
  const { server, openBrowser, advance } = await createProvider({ consent: () => 'granted' })
  const browser = openBrowser()
  const session = browser.signIn()
  await server.endSession('acc_ada', session.key)
  advance(650)
  // The store has failed before the session was removed, so its browser is still signed in.
  const { code = '' } = answerOf(await browser.get(authorizeTarget({ scope: 'openid' })))
  await server.endSession('acc_ada', session.key)
  advance(15)
  const form = { grant_type: 'authorization_code', client_id: 'spa', redirect_uri: callback, code }
  expect((await browser.post('/token', { ...form, code_verifier: pair.verifier })).status).toBe(400)
  advance(644)
  expect(await server.isSessionEnded(session.key)).toBe(true)
  advance(1)
  expect(await server.isSessionEnded(session.key)).toBe(false)
})

test('an accepted token stays valid until it expires, its consent is withdrawn or its account has another epoch', async () => {
  const { server, openBrowser, accounts, advance } = await createProvider({ consent: () => 'granted' })
  const browser = openBrowser()
  browser.signIn()
  const read = async (token: string) => {
    const headers = new Map([['authorization', `Bearer ${token}`]])
    const verdict = await server.readAccessToken({ method: 'GET', target: '/graphql', headers })
    if (!verdict.ok) throw new Error(`refused: ${verdict.reason}`)
    return verdict.token.claims
  }
  const claims = await read(await give(browser, 'openid'))
  expect(await server.isAlive(claims)).toBe(true)
  advance(906)
  expect(await server.isAlive(claims)).toBe(false)
  const [grant] = await server.listGrants('acc_ada')
  expect(grant).toMatchObject({ clientId: 'spa', clientName: 'Reader' })
  const second = await read(await give(browser, 'openid'))
  await server.revokeGrant('acc_ada', grant?.id ?? '')
  expect(await server.isAlive(second)).toBe(false)
  const third = await read(await give(browser, 'openid'))
  accounts.set('acc_ada', 1)
  expect(await server.isAlive(third)).toBe(false)
})

test('an expired token counts as valid with mayBeExpired until its consent is withdrawn', async () => {
  const { server, openBrowser, advance } = await createProvider({ consent: () => 'granted' })
  const browser = openBrowser()
  browser.signIn()
  const token = await give(browser, 'openid offline_access')
  const headers = new Map([['authorization', `Bearer ${token}`]])
  const verdict = await server.readAccessToken({ method: 'GET', target: '/graphql', headers })
  if (!verdict.ok) throw new Error(`refused: ${verdict.reason}`)
  const { claims } = verdict.token
  advance(906)
  const aliveness = () => Promise.all([server.isAlive(claims), server.isAlive(claims, { mayBeExpired: true })])
  expect(await aliveness()).toEqual([false, true])
  const [grant] = await server.listGrants('acc_ada')
  await server.revokeGrant('acc_ada', grant?.id ?? '')
  expect(await aliveness()).toEqual([false, false])
})
