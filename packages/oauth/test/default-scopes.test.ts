import { describe, expect, test } from 'vitest'
import { answerOf, authorizeTarget, createProvider, decideAt, locationOf, pair } from './support/provider.ts'

const withDefault = { defaultScopes: ['openid'] }
const formOf = (target: string) => Object.fromEntries(new URLSearchParams(target.split('?')[1]))

describe('a request without a scope', () => {
  test('a request without a scope gets the default scopes at /authorize, and its token has no others', async () => {
    const provider = await createProvider(withDefault)
    const browser = provider.openBrowser()
    browser.signIn()
    const asked = await browser.get(authorizeTarget({ scope: null }))
    const handle = locationOf(asked).searchParams.get('handle')
    expect(await provider.server.readRequest(browser.request('/consent'), handle)).toMatchObject({ scopes: ['openid'] })
    const { searchParams } = await decideAt(provider, browser, asked)
    const exchanged = await browser.post('/token', {
      grant_type: 'authorization_code',
      client_id: 'spa',
      redirect_uri: 'https://spa.example.com/callback',
      code: searchParams.get('code') ?? '',
      code_verifier: pair.verifier,
    })
    expect(await exchanged.json()).toMatchObject({ scope: 'openid' })
    expect(await provider.server.listGrants('acc_ada')).toMatchObject([{ scopes: ['openid'] }])
  })

  test('a request without a scope gets the default scopes at /par', async () => {
    const provider = await createProvider({ ...withDefault, consent: () => 'granted' })
    const browser = provider.openBrowser()
    browser.signIn()
    const pushed = await browser.post('/par', formOf(authorizeTarget({ scope: null })))
    const { request_uri: name } = await pushed.json()
    expect(answerOf(await browser.get(`/authorize?client_id=spa&request_uri=${name}`)).code).toMatch(/^ac_/)
    expect(await provider.server.listGrants('acc_ada')).toMatchObject([{ scopes: ['openid'] }])
  })

  test.each([
    ['there are no default scopes', {}, null],
    ['the client may not request them', { defaultScopes: ['openid', 'phone'], scopes: ['phone'] }, null],
    ['its scope has only spaces', withDefault, '   '],
  ])('a request without a scope is refused if %s, and no consent is stored', async (_what, options, scope) => {
    const provider = await createProvider({ ...options, consent: () => 'granted' })
    const browser = provider.openBrowser()
    browser.signIn()
    expect(answerOf(await browser.get(authorizeTarget({ scope })))).toMatchObject({ error: 'invalid_scope' })
    expect((await browser.post('/par', formOf(authorizeTarget({ scope })))).status).toBe(400)
    expect(await provider.server.listGrants('acc_ada')).toEqual([])
  })

  test.each([[[]], [['openid', 'unknown']], ['openid']])(
    'default scopes like %j are refused at creation',
    async (defaultScopes) => {
      await expect(createProvider({ defaultScopes: defaultScopes as never })).rejects.toThrow('"defaultScopes"')
    },
  )
})

test('metadata lists offline_access for the server, and not for a resource', async () => {
  const browser = (await createProvider()).openBrowser()
  const scopesAt = async (path: string) => (await (await browser.get(path)).json()).scopes_supported
  const own = await scopesAt('/.well-known/oauth-authorization-server')
  expect(own).toContain('offline_access')
  expect(await scopesAt('/.well-known/oauth-protected-resource/graphql')).toEqual(
    own.filter((scope: string) => scope !== 'offline_access'),
  )
})
