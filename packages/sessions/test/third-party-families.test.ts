import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { createRefreshTokens, firstPartyClientId } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createClock } from './test-stores.ts'

const secrets: SecretKeys = [{ id: 'a', bytes: randomBytes(32) }]
const grant = { scopes: ['openid', 'articles:read'], grant: 'gr_1', keyBinding: 'thumb-a' }
const spa = { subject: 'acc_1', clientId: 'demo-spa', factors: [] }

function setUp() {
  const { now } = createClock()
  const records = createMemoryRecordStore({ now })
  return { records, tokens: createRefreshTokens({ records, secrets, now }) }
}

describe('a family that was given to a client of others', () => {
  test('carries its scopes, its grant and its key over every rotation', async () => {
    const { tokens } = setUp()
    const { token, family } = await tokens.issue({ ...spa, ...grant })
    expect(family).toMatchObject({ clientId: 'demo-spa', ...grant })
    const verdict = await tokens.redeem(token, { clientId: 'demo-spa', keyBinding: 'thumb-a' })
    expect(verdict).toMatchObject({ ok: true, family: { clientId: 'demo-spa', ...grant } })
    expect(await tokens.read(family.key)).toMatchObject(grant)
  })

  test.each([
    ['without a key', {}],
    ['with another key', { keyBinding: 'thumb-b' }],
  ])('and is bound to a key is not renewed %s, and stays as it was', async (_title, shown) => {
    const { tokens } = setUp()
    const { token } = await tokens.issue({ ...spa, ...grant })
    const refused = await tokens.redeem(token, { clientId: 'demo-spa', ...shown })
    expect(refused).toEqual({ ok: false, reason: 'key' })
    const verdict = await tokens.redeem(token, { clientId: 'demo-spa', keyBinding: 'thumb-a' })
    expect(verdict).toMatchObject({ ok: true, replayed: false })
  })

  test('and is bound to no key is renewed with one as well', async () => {
    const { tokens } = setUp()
    const { token } = await tokens.issue({ ...spa, scopes: ['openid'] })
    expect(await tokens.redeem(token, { clientId: 'demo-spa', keyBinding: 'thumb-a' })).toMatchObject({ ok: true })
  })
})

test('a family with a grant is not stored as long as processes may read it that would take it for a family without', async () => {
  const { now } = createClock()
  const records = createMemoryRecordStore({ now })
  const tokens = createRefreshTokens({ records, secrets, now, storedVersion: () => 1 })
  for (const [name, value] of Object.entries(grant)) {
    await expect(tokens.issue({ ...spa, [name]: value })).rejects.toMatchObject({ code: 'STORE_DATA_OLDER' })
  }
  expect((await records.listByOwner('acc_1')).items).toEqual([])
  expect(await tokens.issue(spa)).toMatchObject({ family: { scopes: null } })
})

describe('the client id of the service itself', () => {
  test.each(Object.entries(grant))('is reserved: a family of it has no "%s"', async (name, value) => {
    const { tokens, records } = setUp()
    const issuing = tokens.issue({ ...spa, clientId: firstPartyClientId, [name]: value })
    await expect(issuing).rejects.toThrow(TypeError)
    await expect(issuing).rejects.toThrow('"clientId"')
    expect((await records.listByOwner('acc_1')).items).toEqual([])
  })

  test('gives a family without a grant, as every family was before there were grants', async () => {
    const { tokens } = setUp()
    const { token, family } = await tokens.issue({ ...spa, clientId: firstPartyClientId })
    expect(family).toMatchObject({ scopes: null, grant: null, keyBinding: null })
    expect(await tokens.redeem(token, { clientId: firstPartyClientId })).toMatchObject({ ok: true })
  })
})
