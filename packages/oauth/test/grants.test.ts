import type { AuthorizationServerOptions } from '@latchkey/oauth/server'
import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { authorizeTarget, createProvider, decideAt } from './support/provider.ts'

const ada = 'acc_ada'
const documentsOf = async (documents: DocumentStore) => (await documents.listByOwner(ada)).items

/** A server in whose browser Ada is signed in, and can allow the client `spa` scopes. */
async function open(options: Partial<AuthorizationServerOptions> = {}) {
  const documents = options.documents ?? createMemoryDocumentStore()
  const provider = await createProvider({ documents, ...options })
  const browser = provider.openBrowser()
  browser.signIn(ada)
  const ask = (scope: string) => browser.get(authorizeTarget({ scope, prompt: 'consent' }))
  const allow = async (scope = 'openid') => decideAt(provider, browser, await ask(scope))
  const only = async () => {
    const [grant, ...others] = await provider.server.listGrants(ada)
    if (!grant || others.length > 0) throw new Error('there must be one grant')
    return grant
  }
  return { provider, documents, browser, ask, allow, only }
}

/** The documents, where something happens once before the first removal. */
function beforeRemoval(documents: DocumentStore, before: () => Promise<unknown>): DocumentStore {
  let isFirst = true
  return {
    ...documents,
    async remove(document) {
      if (isFirst) {
        isFirst = false
        await before()
      }
      return documents.remove(document)
    },
  }
}

describe('the grant of an account for a client', () => {
  test('an account has one grant for a client, with the scopes of simultaneous consents', async () => {
    const { provider, browser, ask, only } = await open()
    const asked: Response[] = []
    for (const scope of ['openid', 'email', 'profile', 'articles:read']) asked.push(await ask(scope))
    await Promise.all(asked.map((response) => decideAt(provider, browser, response)))
    expect([...(await only()).scopes].sort()).toEqual(['articles:read', 'email', 'openid', 'profile'])
    const given = provider.events.flatMap((event) => (event.type === 'grant.given' ? event.grantId : []))
    expect([given.length, new Set(given).size]).toEqual([4, 1])
  })

  test('keeps its id and its time with further scopes, and has another id once it was revoked', async () => {
    const { provider, allow, only } = await open()
    await allow('openid')
    const first = await only()
    provider.advance(60)
    await allow('email')
    expect(await only()).toEqual({ ...first, scopes: ['openid', 'email'], changedAt: provider.now() })
    expect(await provider.server.revokeGrant(ada, first.id)).toBe(true)
    await allow('openid')
    expect((await only()).id).not.toBe(first.id)
  })

  test('is revoked once of several concurrent calls, with a single event', async () => {
    const { provider, allow, only } = await open()
    await allow()
    const { id } = await only()
    const revoked = await Promise.all(Array.from({ length: 10 }, () => provider.server.revokeGrant(ada, id)))
    expect(revoked.filter(Boolean)).toHaveLength(1)
    expect(await provider.server.listGrants(ada)).toEqual([])
    expect(provider.events.filter(({ type }) => type === 'grant.revoked')).toHaveLength(1)
  })

  test('is revoked with scopes that are added at the same time', async () => {
    const { provider, documents, allow, only } = await open()
    await allow('openid')
    const { id } = await only()
    const slow = await open({ documents: beforeRemoval(documents, () => allow('email')) })
    expect(await slow.provider.server.revokeGrant(ada, id)).toBe(true)
    expect(await provider.server.listGrants(ada)).toEqual([])
  })

  test('is not revoked by the id of an earlier grant', async () => {
    const { provider, documents, allow, only } = await open()
    await allow()
    const { id } = await only()
    const slow = await open({
      documents: beforeRemoval(documents, async () => {
        await provider.server.revokeGrant(ada, id)
        await allow()
      }),
    })
    expect(await slow.provider.server.revokeGrant(ada, id)).toBe(false)
    const later = await only()
    expect(later.id).not.toBe(id)
    expect(await provider.server.revokeGrant(ada, id)).toBe(false)
    expect(await only()).toEqual(later)
  })
})

describe('aroundGrantChange', () => {
  test('aroundGrantChange is called around each change with its request, and not without a change', async () => {
    const calls: unknown[] = []
    const { provider, documents, browser, allow, only } = await open({
      async aroundGrantChange(change, make, request) {
        const { length } = await documentsOf(documents)
        calls.push({ ...change, target: request?.target ?? null, before: length, made: await make() })
      },
    })
    await allow('openid')
    await allow('email')
    await allow('openid email')
    const { id: grantId } = await only()
    await provider.server.revokeGrant(ada, grantId, browser.request('/account'))
    await allow('openid')
    await provider.server.revokeGrant(ada, (await only()).id)
    const about = { accountId: ada, clientId: 'spa' }
    expect(calls).toMatchObject([
      { type: 'grant.given', ...about, grantId, target: '/consent', before: 0, made: true },
      { type: 'grant.given', ...about, grantId, target: '/consent', before: 1, made: true },
      { type: 'grant.revoked', ...about, grantId, target: '/account', before: 1, made: true },
      { type: 'grant.given', ...about, target: '/consent', before: 0, made: true },
      { type: 'grant.revoked', ...about, target: null, before: 1, made: true },
    ])
  })

  test.each<[string, AuthorizationServerOptions['aroundGrantChange']]>([
    ['rejects', () => Promise.reject(new Error('the audit log is down'))],
    ['does not make the change', async () => true],
  ])(
    'aroundGrantChange that %s changes no grant: the call is an error without an event',
    async (_what, aroundGrantChange) => {
      const { documents, allow, only } = await open()
      await allow('openid')
      const { id } = await only()
      const before = await documentsOf(documents)
      const audited = await open({ documents, ...(aroundGrantChange && { aroundGrantChange }) })
      await expect(audited.allow('email')).rejects.toThrow()
      await expect(audited.provider.server.revokeGrant(ada, id)).rejects.toThrow()
      expect(audited.provider.events.filter(({ type }) => type.startsWith('grant.'))).toEqual([])
      expect(await documentsOf(documents)).toEqual(before)
    },
  )
})

test('a grant that cannot be read is 503, and the user is not asked', async () => {
  const { documents, browser, allow } = await open()
  await allow('openid')
  const [{ collection, id, version } = { collection: '', id: '', version: '' }] = await documentsOf(documents)
  await documents.replace({ collection, id, version }, { version: 'spoilt', value: '{"v":2}' })
  const response = await browser.get(authorizeTarget({ scope: 'openid' }))
  expect([response.status, response.headers.get('location')]).toEqual([503, null])
})
