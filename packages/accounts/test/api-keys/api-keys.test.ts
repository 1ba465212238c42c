import { unknownAttempt } from '@latchkey/accounts'
import { createMemoryDocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { invalidCredentials } from '../bench.ts'
import { keyOptions, openKeys } from './keys-bench.ts'

const daySeconds = 86_400

describe('an API key', () => {
  test('is a third party with its scopes and the roles that the account has at each request', async () => {
    const { bench, account, identity } = await openKeys()
    const { key, apiKey } = await bench.create(identity)
    const facts = {
      kind: 'account',
      subject: account.id,
      roles: ['READER'],
      scopes: ['articles:read'],
      firstParty: false,
      apiKey: apiKey.id,
      factors: [],
      via: 'bearer',
    }
    expect(await bench.accounts.identifyApiKey({ key })).toMatchObject({ facts, expiresAt: apiKey.expiresAt })
    await bench.store.replace(account.id, {}, { roles: ['EDITOR'] })
    expect(await bench.accounts.identifyApiKey({ key })).toMatchObject({ facts: { ...facts, roles: ['EDITOR'] } })
  })

  test.each([
    ['a name of blanks', { name: '  ' }, 'name'],
    ['a name of 65 characters', { name: 'a'.repeat(65) }, 'name'],
    ['a name with a control character', { name: 'a\u0007b' }, 'name'],
    ['a name that turns the text around', { name: 'a\u202eb' }, 'name'],
    ['no scope', { scopes: [] }, 'scopes'],
    ['a scope that keys are not offered', { scopes: ['accounts:update'] }, 'scopes'],
    ['a scope whose permission the account lacks', { scopes: ['articles:read', 'articles:publish'] }, 'scopes'],
    ['a scope by the name of a member of every object', { scopes: ['__proto__'] }, 'scopes'],
    ['no day', { expiresInDays: 0 }, 'expiresInDays'],
    ['366 days', { expiresInDays: 366 }, 'expiresInDays'],
    ['half a day', { expiresInDays: 0.5 }, 'expiresInDays'],
    ['no number of days', { expiresInDays: Number.NaN }, 'expiresInDays'],
  ])('a key with %s is refused, and the store is unchanged', async (_name, change, field) => {
    const { bench, identity, documents } = await openKeys()
    await expect(bench.create(identity, change)).rejects.toMatchObject({ code: 'API_KEY_REJECTED', field })
    expect((await documents.list('api-keys')).items).toEqual([])
    await bench.unnamed.settled()
    expect(bench.outbox.map(({ kind }) => kind)).not.toContain('api-key-created')
  })

  test.each([
    ['90 days', undefined, 90],
    ['maxDays, if that is less', 30, 30],
    ['90 days beside a longer maxDays', 120, 90],
  ])('a key without a requested lifetime lives for %s', async (_what, maxDays, days) => {
    const { bench, identity } = await openKeys({ apiKeys: { ...keyOptions, ...(maxDays && { maxDays }) } })
    const created = await bench.accounts.createApiKey({ identity, name: 'Export', scopes: ['articles:read'] })
    if (!created.ok) throw new Error('the key was refused')
    const { createdAt, expiresAt } = created.apiKey
    expect(expiresAt - createdAt).toBe(days * daySeconds * 1000)
  })

  test('an account gets at most 25 keys, even in parallel, and expired keys do not count', async () => {
    const { bench, account, identity } = await openKeys()
    for (let made = 0; made < 24; made++) await bench.create(identity, { expiresInDays: 1 })
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => bench.create(identity)))
    expect((await bench.accounts.listApiKeys(account.id)).length).toBeLessThanOrEqual(25)
    expect(answers.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(4)
    while ((await bench.accounts.listApiKeys(account.id)).length < 25) await bench.create(identity)
    await expect(bench.create(identity)).rejects.toMatchObject({ code: 'API_KEY_REJECTED', field: 'name' })
    bench.advance(daySeconds)
    await bench.create(identity)
    expect((await bench.accounts.listApiKeys(account.id)).length).toBeLessThanOrEqual(2)
  })

  test('the first scope that is not granted refuses the key without checking the others', async () => {
    const asked: string[] = []
    const mayGrant = (_account: object, scope: string) => asked.push(scope) > 0 && scope === 'articles:read'
    const { bench, identity, documents } = await openKeys({ apiKeys: { ...keyOptions, mayGrant } })
    const scopes = ['articles:read', ...Array.from({ length: 10_000 }, (_none, index) => `none:${index}`)]
    await expect(bench.create(identity, { scopes })).rejects.toMatchObject({ field: 'scopes' })
    expect(asked).toEqual(['articles:read', 'none:0'])
    expect((await documents.list('api-keys')).items).toEqual([])
  })

  test('a key stays valid if its last use cannot be stored, and an event reports the failure', async () => {
    const documents = createMemoryDocumentStore()
    const state = { fails: false }
    const { bench, identity } = await openKeys({
      documents: {
        ...documents,
        replace: (current, next) =>
          state.fails ? Promise.reject(new Error('the store is down')) : documents.replace(current, next),
      },
    })
    const { key } = await bench.create(identity)
    state.fails = true
    expect(await bench.accounts.identifyApiKey({ key })).not.toBeNull()
    await bench.unnamed.settled()
    expect(bench.events.at(-1)).toMatchObject({ type: 'clean-up.failed' })
  })

  test('a created key has an event and an audit row without the key, and its owner gets a mail without its name', async () => {
    const { bench, account, identity } = await openKeys()
    const { key, apiKey } = await bench.create(identity, { name: 'visit https://evil.example' })
    const said = { type: 'api-key.created', accountId: account.id, apiKeyId: apiKey.id, scopes: ['articles:read'] }
    expect(bench.events.at(-1)).toMatchObject(said)
    await bench.unnamed.settled()
    const mail = bench.outbox.at(-1)
    expect(mail).toMatchObject({ kind: 'api-key-created', to: account.email })
    expect(JSON.stringify([mail, bench.events])).not.toMatch(new RegExp(`evil|${key.slice(8)}`))
  })

  test('a key is refused if the account has changed since the request started', async () => {
    const { bench, account, identity, documents } = await openKeys()
    await bench.store.replace(account.id, {}, { epoch: 1 })
    const asked = { identity, name: 'Late', scopes: ['articles:read'], expiresInDays: 1 }
    expect(await bench.accounts.createApiKey(asked)).toEqual(invalidCredentials)
    expect((await documents.list('api-keys')).items).toEqual([])
  })

  test('a key is removed again if the account changes while the key is stored', async () => {
    const documents = createMemoryDocumentStore()
    const late = { change: async () => {} }
    const { bench, account, identity } = await openKeys({
      documents: {
        ...documents,
        insert: async (document) => {
          await late.change()
          return documents.insert(document)
        },
      },
    })
    late.change = async () => void (await bench.accounts.endSessions({ id: account.id }))
    const asked = { identity, name: 'Late', scopes: ['articles:read'], expiresInDays: 1 }
    expect(await bench.accounts.createApiKey(asked)).toEqual(invalidCredentials)
    expect((await documents.list('api-keys')).items).toEqual([])
  })

  test('every invalid key gets the same answer', async () => {
    const { bench, account, identity } = await openKeys()
    const [expired, revoked, closed] = await Promise.all([
      bench.create(identity, { expiresInDays: 1 }),
      bench.create(identity),
      bench.create(identity),
    ])
    await bench.accounts.revokeApiKey({ subject: account.id, id: revoked.apiKey.id })
    bench.advance(daySeconds)
    const reasons = async (key: string) => {
      expect(await bench.accounts.identifyApiKey({ key })).toBeNull()
      const event = bench.events.at(-1)
      return event?.type === 'api-key.refused' ? event.reason : null
    }
    expect(await reasons(expired.key)).toBe('expired')
    expect(await reasons(revoked.key)).toBe('unknown')
    // Another key with its id: the check is right and the secret is not.
    await bench.store.replace(account.id, {}, { status: 'disabled' })
    expect(await reasons(closed.key)).toBe('account')
  })

  test('a key with a known id and another secret is unknown', async () => {
    const one = await openKeys()
    const { documents, ...first } = one
    const { key, apiKey } = await first.bench.create(first.identity)
    const { items } = await documents.list('api-keys')
    const other = await openKeys()
    await other.documents.insert({
      ...(items[0] as (typeof items)[number]),
      value: (items[0]?.value ?? '').replace(/"secretHash":"./, '"secretHash":"_'),
    })
    expect(await other.bench.accounts.identifyApiKey({ key })).toBeNull()
    expect(other.bench.events.at(-1)).toMatchObject({ type: 'api-key.refused', reason: 'unknown' })
    expect(apiKey.id).toHaveLength(16)
  })

  test('a key is revoked by its own account, once, or by the operation on sessions', async () => {
    const { bench, account, identity } = await openKeys()
    const stranger = await bench.insert({ email: 'other@example.com' })
    const { key, apiKey } = await bench.create(identity)
    const { id } = apiKey
    expect(await bench.accounts.revokeApiKey({ subject: stranger.id, id })).toBe(false)
    expect(await bench.accounts.revokeSession({ subject: stranger.id, key: id })).toBe(false)
    expect(await bench.accounts.identifyApiKey({ key })).not.toBeNull()
    const subject = account.id
    const answers = await Promise.all([1, 2, 3].map(() => bench.accounts.revokeApiKey({ subject, id })))
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(bench.events.filter(({ type }) => type === 'api-key.revoked')).toHaveLength(1)
    const second = await bench.create(identity)
    expect(await bench.accounts.revokeSession({ subject, key: second.apiKey.id })).toBe(true)
    expect(await bench.accounts.identifyApiKey({ key: second.key })).toBeNull()
  })

  test('anyone with a leaked key can revoke it', async () => {
    const { bench, identity } = await openKeys()
    const { key } = await bench.create(identity)
    expect(await bench.accounts.revokeLeakedApiKey({ key: `${key}0` })).toBe(false)
    expect(await bench.accounts.revokeLeakedApiKey({ key })).toBe(true)
    expect(await bench.accounts.revokeLeakedApiKey({ key })).toBe(false)
    expect(await bench.accounts.identifyApiKey({ key })).toBeNull()
  })

  test('the last use of a key is accurate to a minute, and a use during a revocation does not restore the key', async () => {
    const { bench, account, identity, documents } = await openKeys()
    const { key, apiKey } = await bench.create(identity)
    const lastUsedAt = async () => {
      await bench.unnamed.settled()
      return (await bench.accounts.listApiKeys(account.id))[0]?.lastUsedAt
    }
    expect(await lastUsedAt()).toBeNull()
    await bench.accounts.identifyApiKey({ key, isUse: false })
    expect(await lastUsedAt()).toBeNull()
    await bench.accounts.identifyApiKey({ key })
    const first = bench.now()
    expect(await lastUsedAt()).toBe(first)
    bench.advance(59)
    await bench.accounts.identifyApiKey({ key })
    expect(await lastUsedAt()).toBe(first)
    bench.advance(1)
    await bench.accounts.identifyApiKey({ key })
    expect(await lastUsedAt()).toBe(first + 60_000)
    bench.advance(60)
    await Promise.all([
      bench.accounts.identifyApiKey({ key }),
      bench.accounts.revokeApiKey({ subject: account.id, id: apiKey.id }),
    ])
    await bench.unnamed.settled()
    expect((await documents.list('api-keys')).items).toEqual([])
  })

  test('createApiKey is unavailable without the option, and the list is empty', async () => {
    const { bench, identity } = await openKeys({ apiKeys: undefined } as never)
    await expect(bench.create(identity)).rejects.toMatchObject({ code: 'OPERATION_UNAVAILABLE' })
    expect(await bench.accounts.listApiKeys(identity.subject)).toEqual([])
    expect(bench.unnamed.isApiKey(`lk_${'0'.repeat(65)}`)).toBe(false)
  })

  test('an administrator who impersonates the account cannot create a key', async () => {
    const { bench, identity } = await openKeys()
    await expect(bench.create({ ...identity, impersonator: 'acc_0' })).rejects.toMatchObject({
      code: 'NOT_WHILE_IMPERSONATING',
    })
  })
})

describe('limits of API keys', () => {
  const from = (address: string) => ({ ...unknownAttempt, address })

  test('the limit counts the requests of each key within a minute separately', async () => {
    const { bench, identity } = await openKeys({ apiKeys: { ...keyOptions, requestsPerMinute: 3 } })
    const [one, other] = [await bench.create(identity), await bench.create(identity)]
    for (let made = 0; made < 3; made++) await bench.accounts.identifyApiKey({ key: one.key })
    await expect(bench.accounts.identifyApiKey({ key: one.key })).rejects.toMatchObject({
      code: 'ATTEMPTS_RATE_LIMITED',
      retryAfterSeconds: 60,
      policy: { name: 'api-key', limit: 3, windowSeconds: 60 },
    })
    expect(bench.events.at(-1)).toMatchObject({ type: 'api-key.limited', limit: 'key', apiKeyId: one.apiKey.id })
    expect(await bench.accounts.identifyApiKey({ key: other.key })).not.toBeNull()
    expect(await bench.accounts.identifyApiKey({ key: one.key, isUse: false })).not.toBeNull()
    bench.advance(60)
    expect(await bench.accounts.identifyApiKey({ key: one.key })).not.toBeNull()
  })

  test('bad keys count for the address and never for a key', async () => {
    const { bench, identity } = await openKeys({ apiKeys: { ...keyOptions, requestsPerMinute: 1 } })
    const { key } = await bench.create(identity)
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    const attempt = from('203.0.113.7')
    for (let made = 0; made < 30; made++)
      expect(await bench.accounts.identifyApiKey({ key: wrong, attempt })).toBeNull()
    await expect(bench.accounts.identifyApiKey({ key: wrong, attempt })).rejects.toMatchObject({
      code: 'ATTEMPTS_RATE_LIMITED',
      policy: { name: 'api-key-address', limit: 30 },
    })
    expect(await bench.accounts.identifyApiKey({ key, attempt: from('203.0.113.8') })).not.toBeNull()
    bench.advance(60)
    expect(await bench.accounts.identifyApiKey({ key: wrong, attempt })).toBeNull()
  })

  test('never refuse a good key at an address from which others send bad ones, also many at one moment', async () => {
    const { bench, identity } = await openKeys()
    const { key } = await bench.create(identity)
    const attempt = from('203.0.113.7')
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, () => bench.accounts.identifyApiKey({ key: wrong, attempt })),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(30)
    expect(await bench.accounts.identifyApiKey({ key, attempt })).not.toBeNull()
    expect(bench.events.filter(({ type }) => type === 'api-key.refused')).toHaveLength(30)
    expect(bench.events.filter(({ type }) => type === 'api-key.limited')).toHaveLength(20)
  })

  test.each([
    { prefix: 'lk' },
    { prefix: '_' },
    { prefix: 'LK_' },
    { prefix: 'toolongx_' },
    { maxDays: 0 },
    { maxDays: 366 },
    { requestsPerMinute: 0 },
    { mayGrant: undefined },
    { other: true },
  ])('the options %o are refused', async (change) => {
    await expect(openKeys({ apiKeys: { ...keyOptions, ...change } as never })).rejects.toThrow(TypeError)
  })
})
