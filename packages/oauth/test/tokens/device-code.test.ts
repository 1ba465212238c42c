import { createHash } from 'node:crypto'
import { createCredential } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { claimsOf, garbage, openServer, otherResource } from './open-server.ts'
import { createSigner, proofOf } from './signer.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
const scopes = ['openid', 'offline_access', 'articles:read']

/** A server with a device that waits, as the endpoint and the page of devices have stored it. */
async function openDevice({ clientId = 'tv', asked = scopes }: { clientId?: string; asked?: readonly string[] } = {}) {
  const opened = await openServer()
  const { records, now, post, consent } = opened
  const { key, secret, text } = createCredential('dc')
  const request = { clientId, scopes: asked, resources: [] }
  const secretHash = createHash('sha256').update(secret).digest('base64url')
  const value = { v: 2, secretHash, request, answer: null, polledAt: 0 }
  await records.insert({ key, owner: null, expiresAt: now() + 600_000, value: JSON.stringify(value) })

  async function answer(isAllowed: boolean): Promise<void> {
    const factors = [{ kind: 'password', at: now(), category: 'know' }]
    const session = { accountId: 'acc_1', sessionKey: 'se_1', epoch: 0, factors, authenticatedAt: now() - 5000 }
    const approval = isAllowed ? { ...session, grantId: await consent(clientId) } : null
    const record = await records.get(key)
    if (!record) throw new Error('no device waits')
    const next = JSON.stringify({ ...JSON.parse(record.value), answer: { approval } })
    await records.replace(record, { value: next, expiresAt: record.expiresAt })
  }

  const poll = (code = text, form: object = {}, headers: Record<string, string> = {}) =>
    post('/token', { grant_type: grantType, client_id: clientId, device_code: code, ...form }, headers)
  return { ...opened, answer, poll, code: text }
}

describe('a device', () => {
  test('gets authorization_pending until its user answers, and slow_down if it polls too soon', async () => {
    const { poll, advance } = await openDevice()
    expect(await poll()).toMatchObject({ status: 400, body: { error: 'authorization_pending' } })
    advance(4.999)
    expect((await poll()).body.error).toBe('slow_down')
    advance(5)
    expect((await poll()).body.error).toBe('authorization_pending')
  })

  test('gets tokens once after its user has allowed it', async () => {
    const { poll, answer, present, now } = await openDevice()
    await poll()
    await answer(true)
    const { status, body } = await poll()
    expect(status).toBe(200)
    expect(body).toMatchObject({ token_type: 'Bearer', scope: scopes.join(' '), refresh_token: expect.any(String) })
    expect(claimsOf(body.id_token)).toMatchObject({
      sub: 'acc_1',
      aud: 'tv',
      auth_time: Math.floor((now() - 5000) / 1000),
    })
    expect(claimsOf(body.id_token)).not.toHaveProperty('sid')
    expect((await present(body.access_token)).status).toBe(200)
    expect((await poll()).body.error).toBe('expired_token')
    expect((await present(body.access_token)).status).toBe(200)
  })

  test('gets tokens for one of fifty concurrent polls', async () => {
    const { poll, answer, stored } = await openDevice()
    await answer(true)
    const answers = await Promise.all(Array.from({ length: 50 }, () => poll()))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await stored()).filter(({ key }) => key.startsWith('rt_'))).toHaveLength(1)
  })

  test('is refused after its user has denied it', async () => {
    const { poll, answer, stored } = await openDevice()
    await answer(false)
    expect((await poll()).body.error).toBe('access_denied')
    expect((await poll()).body.error).toBe('expired_token')
    expect(await stored()).toEqual([])
  })

  test('gets no refresh token without offline_access', async () => {
    const { poll, answer } = await openDevice({ clientId: 'other-tv', asked: ['openid'] })
    await answer(true)
    expect((await poll()).body).not.toHaveProperty('refresh_token')
  })

  test('gets a token that is bound to the key of its proof', async () => {
    const key = await createSigner('ES256')
    const { poll, answer, code, now } = await openDevice()
    await answer(true)
    const { body } = await poll(code, {}, { dpop: await proofOf(key, { at: now() }) })
    expect(body.token_type).toBe('DPoP')
    expect(claimsOf(body.access_token).cnf).toEqual({ jkt: key.thumbprint })
  })

  test.each<[string, (code: string) => string, object, string]>([
    ['no code', () => '', {}, 'invalid_request'],
    ['garbage', () => garbage(), {}, 'invalid_grant'],
    ['a code that was never issued', () => createCredential('dc').text, {}, 'expired_token'],
    ['another secret', (code) => `${code.slice(0, -10)}AAAAAAAAAA`, {}, 'invalid_grant'],
    ['the code of another client', (code) => code, { client_id: 'other-tv' }, 'invalid_grant'],
    ['a client without the grant of devices', (code) => code, { client_id: 'spa' }, 'unauthorized_client'],
    ['an unknown resource', (code) => code, { resource: 'https://evil.example/' }, 'invalid_target'],
    ['a resource without a consent', (code) => code, { resource: otherResource }, 'invalid_target'],
  ])('with %s is refused, and the code still works', async (_what, change, form, error) => {
    const { poll, answer, code } = await openDevice()
    await answer(true)
    expect(await poll(change(code), form)).toMatchObject({ status: 400, body: { error } })
    expect((await poll()).status).toBe(200)
  })

  test('is refused after its code has expired', async () => {
    const { poll, answer, advance, stored } = await openDevice()
    await answer(true)
    advance(600)
    expect((await poll()).body.error).toBe('expired_token')
    expect(await stored()).toEqual([])
  })

  test.each<[string, (opened: Awaited<ReturnType<typeof openDevice>>) => unknown]>([
    ['the account has another epoch', ({ epochs }) => epochs.set('acc_1', 1)],
    ['the account is gone', ({ epochs }) => epochs.delete('acc_1')],
    ['the consent was withdrawn', ({ withdraw }) => withdraw('tv')],
    [
      'the consent was withdrawn, and given again',
      async ({ withdraw, consent }) => {
        await withdraw('tv')
        await consent('tv')
      },
    ],
  ])('gets no token if %s', async (_what, end) => {
    const opened = await openDevice()
    await opened.answer(true)
    await end(opened)
    expect((await opened.poll()).body.error).toBe('expired_token')
    expect(await opened.stored()).toEqual([])
  })
})
