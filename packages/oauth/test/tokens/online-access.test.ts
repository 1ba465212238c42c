import { describe, expect, test } from 'vitest'
import { claimsOf, clients, issuer, openServer, redirectUri, webClient } from './open-server.ts'
import { createSigner, proofOf } from './signer.ts'

const key = await createSigner('ES256')
const other = await createSigner('ES256')
const online = ['openid', 'online_access', 'articles:read']
const hour = 3_600_000

/** A server with sessions of browsers that end an hour after their use, and eight hours after they began at the latest. */
async function openWithSessions({ lastMs = 8 * hour, knows = true } = {}) {
  let time = () => 0
  const sessions = new Map<string, { usedAt: number; readonly endsAt: number }>()
  const uses: string[] = []
  const sessionState = async (subject: string, lineage: string, { isUse }: { readonly isUse: boolean }) => {
    const session = sessions.get(`${subject} ${lineage}`)
    if (!session || Math.min(session.usedAt + hour, session.endsAt) <= time()) return null
    if (isUse) {
      session.usedAt = time()
      uses.push(lineage)
    }
    return { expiresAt: Math.min(session.usedAt + hour, session.endsAt) }
  }
  const withOnline = clients.map((client) => ({ ...client, scopes: [...(client.scopes ?? []), 'online_access'] }))
  const options = { fixedClients: withOnline, ...(knows && { sessionState }) }
  const opened = await openServer({ options })
  time = opened.now
  const begin = (lineage = 'se_1', subject = 'acc_1') =>
    void sessions.set(`${subject} ${lineage}`, { usedAt: time(), endsAt: time() + lastMs })
  begin()
  const prove = (by = key) => proofOf(by, { at: time() })
  const give = async (change: object = {}, { by = key, client = 'spa' } = {}) => {
    const code = await opened.giveCode(client, { scopes: online, ...change })
    return (await opened.post('/token', code, { dpop: await prove(by) })).body
  }
  const renew = async (token: string | undefined, { by = key, client = 'spa' } = {}) =>
    opened.refresh(token, { client_id: client }, { dpop: await prove(by) })
  const end = (lineage = 'se_1') => {
    sessions.delete(`acc_1 ${lineage}`)
    return opened.server.endSession('acc_1', lineage)
  }
  return { ...opened, sessionState, sessions, uses, begin, prove, give, renew, end }
}

describe('online_access with a proof', () => {
  test('gives a refresh token that is bound to the key, rotates, and repeats until the successor is used', async () => {
    const { give, renew, advance } = await openWithSessions()
    const given = await give()
    expect([given.scope, given.token_type, given.expires_in]).toEqual([online.join(' '), 'DPoP', 900])
    const first = await renew(given.refresh_token)
    advance(600)
    const again = await renew(given.refresh_token)
    expect(again.body.refresh_token).toBe(first.body.refresh_token)
    expect(claimsOf(first.body.access_token).cnf).toEqual({ jkt: key.thumbprint })
    expect((await renew(first.body.refresh_token)).status).toBe(200)
    expect((await renew(given.refresh_token)).body.error).toBe('invalid_grant')
    expect((await renew(first.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('a refresh counts as use of the session, which still expires after eight hours', async () => {
    const { give, renew, advance, uses } = await openWithSessions()
    let token = (await give()).refresh_token
    expect(uses).toEqual(['se_1'])
    for (let passed = 0; passed < 7; passed++) {
      advance(3599)
      const renewed = await renew(token)
      expect([renewed.status, renewed.body.expires_in]).toEqual([200, 900])
      token = renewed.body.refresh_token
    }
    advance(8 * 3600 - 7 * 3599 - 100)
    const last = await renew(token)
    expect(last.body.expires_in).toBe(100)
    expect(Number(claimsOf(last.body.access_token).exp) - Number(claimsOf(last.body.access_token).iat)).toBe(100)
    advance(100)
    expect((await renew(last.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test.each([0, 999])('a code with %i ms of the session left grants no token and stays unused', async (lastMs) => {
    const { giveCode, post, prove, stored } = await openWithSessions({ lastMs })
    const code = await giveCode('spa', { scopes: online })
    const before = await stored()
    const refused = await post('/token', code, { dpop: await prove() })
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
    expect(await stored()).toEqual(before)
  })

  test.each([
    ['a refresh', 'replace'],
    ['a code', 'insert'],
  ] as const)('online_access is invalid_grant when its session ends while %s is answered', async (what, call) => {
    const opened = await openWithSessions({ lastMs: 5000 })
    const { give, giveCode, renew, post, prove, advance, records, now } = opened
    const given = await give()
    const code = await giveCode('spa', { scopes: online })
    // In the second before the last, so that a whole second is left at first, and none in the end.
    advance((4000 - 1 - (now() % 1000)) / 1000)
    const late = { dpop: await prove() }
    const make = records[call].bind(records) as (...input: readonly unknown[]) => Promise<unknown>
    const run = async (...input: readonly unknown[]) => {
      const outcome = await make(...input)
      if (JSON.stringify(input).includes('"rt_')) advance(1.001)
      return outcome
    }
    Object.assign(records, { [call]: run })
    const { status, body } = what === 'a code' ? await post('/token', code, late) : await renew(given.refresh_token)
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
  })

  test('online_access expires after an hour without use of the session, and does not return', async () => {
    const { give, renew, advance, begin, stored } = await openWithSessions()
    const given = await give()
    advance(3600)
    const before = await stored()
    expect((await renew(given.refresh_token)).body.error).toBe('invalid_grant')
    expect(await stored()).toEqual(before)
    // Another session of the same account and browser.
    begin('se_2')
    expect((await renew(given.refresh_token)).body.error).toBe('invalid_grant')
  })

  test("online_access lasts with the session's lineage, whatever its key", async () => {
    const { give, renew, begin, sessions } = await openWithSessions()
    const given = await give()
    sessions.clear()
    begin()
    expect((await renew(given.refresh_token)).status).toBe(200)
  })

  test('is revoked with its session: refresh token, access token and unused codes', async () => {
    const { give, giveCode, post, prove, renew, end, present, now } = await openWithSessions()
    const given = await give()
    const code = await giveCode('spa', { scopes: online })
    await end()
    expect((await renew(given.refresh_token)).body.error).toBe('invalid_grant')
    expect((await post('/token', code, { dpop: await prove() })).body.error).toBe('invalid_grant')
    const dpop = await proofOf(key, {
      ...{ at: now(), method: 'GET', url: 'https://id.example.com/userinfo', token: given.access_token },
    })
    expect((await present(given.access_token, 'DPoP', { dpop })).status).toBe(401)
  })

  test("online_access grants no token after the session's end has started, even if the end failed halfway", async () => {
    const { give, renew, server, records } = await openWithSessions()
    const given = await give()
    const list = records.listByOwner
    Object.assign(records, { listByOwner: () => Promise.reject(new Error('down')) })
    await expect(server.endSession('acc_1', 'se_1')).rejects.toThrow('down')
    Object.assign(records, { listByOwner: list })
    expect((await renew(given.refresh_token)).body.error).toBe('invalid_grant')
  })

  test.each(['revoked consent', 'raised epoch'])('is revoked by a %s', async (what) => {
    const { give, renew, withdraw, epochs } = await openWithSessions()
    const given = await give()
    if (what === 'raised epoch') epochs.set('acc_1', 1)
    else await withdraw('spa')
    expect((await renew(given.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('online_access is refused without the key, with another key and to another client, and is unchanged', async () => {
    const { give, renew, refresh, stored } = await openWithSessions()
    const given = await give()
    const before = await stored()
    expect((await refresh(given.refresh_token)).body.error).toBe('invalid_grant')
    expect((await renew(given.refresh_token, { by: other })).body.error).toBe('invalid_grant')
    expect((await renew(given.refresh_token, { client: 'other-spa' })).body.error).toBe('invalid_grant')
    expect(await stored()).toEqual(before)
    expect((await renew(given.refresh_token)).status).toBe(200)
  })

  test("online_access is inactive at introspection after the session's end, and introspection does not count as use", async () => {
    const { giveCode, post, prove, advance, uses } = await openWithSessions()
    const code = await giveCode('web', { scopes: online })
    const { body } = await post('/token', code, { dpop: await prove(), ...webClient })
    const isActive = async () => (await post('/introspect', { token: body.refresh_token ?? '' }, webClient)).body.active
    expect(await isActive()).toBe(true)
    advance(3600)
    expect(await isActive()).toBe(false)
    expect(uses).toEqual(['se_1'])
  })
})

describe('online_access without a proof', () => {
  test('gives no refresh token, and the scope is left out', async () => {
    const { giveCode, post, uses } = await openWithSessions()
    const given = (await post('/token', await giveCode('spa', { scopes: online }))).body
    expect([given.scope, given.token_type, given.refresh_token]).toEqual(['openid articles:read', 'Bearer', undefined])
    expect(claimsOf(given.access_token).scope).toBe('openid articles:read')
    expect(uses).toEqual([])
  })
})

describe('a new code', () => {
  test('a new code of the same client, key and session replaces the earlier tokens', async () => {
    const { give, renew, stored, advance } = await openWithSessions()
    let last = await give()
    for (let reloads = 0; reloads < 6; reloads++) {
      advance(1)
      const next = await give()
      expect((await renew(last.refresh_token)).body.error).toBe('invalid_grant')
      last = next
    }
    expect((await stored()).filter(({ key: name }) => name.startsWith('rt_'))).toHaveLength(1)
    expect((await renew(last.refresh_token)).status).toBe(200)
  })

  test('a new code of another client, key, session or account, or with other scopes, replaces no tokens', async () => {
    const { give, renew, begin, advance, present, now } = await openWithSessions()
    begin('se_2')
    begin('se_1', 'acc_2')
    const plain = await give({ scopes: ['openid'] })
    const offline = await give({ scopes: ['openid', 'offline_access'] })
    advance(1)
    const first = await give()
    const others: Awaited<ReturnType<typeof give>>[] = []
    const changes = [
      [{}, { by: other }],
      [{}, { client: 'other-spa' }],
      [{ sessionKey: 'se_2' }],
      [{ accountId: 'acc_2' }],
      [{ scopes: ['openid'] }],
    ] as const
    for (const [change, by] of changes) {
      advance(1)
      others.push(await give(change, by))
    }
    expect(others.map(({ token_type: type }) => type)).toEqual(Array(5).fill('DPoP'))
    for (const given of [first, offline]) expect((await renew(given.refresh_token)).status).toBe(200)
    const place = { at: now(), method: 'GET', url: `${issuer}/userinfo`, token: plain.access_token }
    const shown = await present(plain.access_token, 'DPoP', { dpop: await proofOf(key, place) })
    expect(shown.status).toBe(200)
  })

  test('two new codes at once leave one family', async () => {
    const { give, stored, records, consent } = await openWithSessions()
    await consent('spa')
    const { listByOwner } = records
    let arrive = (): void => undefined
    const both = new Promise<void>((resolve) => {
      let waiting = 0
      arrive = () => void (++waiting === 2 && resolve())
    })
    records.listByOwner = async (...asked) => {
      arrive()
      await both
      return listByOwner(...asked)
    }
    await Promise.all([give(), give()])
    expect((await stored()).filter(({ key: name }) => name.startsWith('rt_'))).toHaveLength(1)
  })

  test('twenty new codes at once leave some families, and the next code replaces them all', async () => {
    const { give, stored, consent, advance } = await openWithSessions()
    await consent('spa')
    const families = async () => (await stored()).filter(({ key: name }) => name.startsWith('rt_'))
    await Promise.all(Array.from({ length: 20 }, () => give()))
    expect(await families()).not.toEqual([])
    advance(1)
    await give()
    expect(await families()).toHaveLength(1)
  })
})

describe('online_access is refused', () => {
  const asked = {
    ...{ client_id: 'spa', redirect_uri: redirectUri, response_type: 'code', state: 's-1' },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
  }
  const askFor = async ({ send }: Pick<Awaited<ReturnType<typeof openServer>>, 'send'>, scope: string) => {
    const { headers } = await send(`/authorize?${new URLSearchParams({ ...asked, scope })}`)
    return new URL(headers.get('location') ?? '', issuer).searchParams.get('error')
  }

  test.each(['offline_access online_access', 'openid online_access email offline_access'])(
    'online_access with offline_access is refused: %s',
    async (scope) => {
      const opened = await openWithSessions()
      expect(await askFor(opened, scope)).toBe('invalid_scope')
      const pushed = await opened.post('/par', { ...asked, scope })
      expect([pushed.status, pushed.body.error]).toEqual([400, 'invalid_scope'])
      for (const alone of ['openid online_access', 'openid offline_access'])
        expect(await askFor(opened, alone)).toBeNull()
    },
  )

  test('online_access is refused to a client that may not request it', async () => {
    const { sessionState } = await openWithSessions()
    expect(await askFor(await openServer({ options: { sessionState } }), 'openid online_access')).toBe('invalid_scope')
  })

  test('online_access is refused and not listed by a server that cannot read sessions', async () => {
    const without = await openWithSessions({ knows: false })
    expect(await askFor(without, 'openid online_access')).toBe('invalid_scope')
    const scopesOf = async ({ send }: typeof without) =>
      (await send('/.well-known/openid-configuration')).body.scopes_supported
    expect(await scopesOf(without)).not.toContain('online_access')
    expect(await scopesOf(await openWithSessions())).toContain('online_access')
  })

  test('online_access is refused to a device and to a machine, which have no session', async () => {
    const { post, stored } = await openWithSessions()
    const device = await post('/device_authorization', { client_id: 'tv', scope: 'openid online_access' })
    expect([device.status, device.body.error]).toEqual([400, 'invalid_scope'])
    const machine = { grant_type: 'client_credentials', client_id: 'machine', client_secret: 'machine-secret' }
    expect((await post('/token', { ...machine, scope: 'online_access' })).body.error).toBe('invalid_scope')
    expect((await post('/token', machine)).body.scope).toBe('articles:read articles:create')
    expect(await stored()).toEqual([])
  })
})
