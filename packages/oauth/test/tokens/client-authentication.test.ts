import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { basic, clients, type Form, issuer, openServer, signedClient, webClient } from './open-server.ts'
import { openRegistry } from './registry.ts'
import { createSigner } from './signer.ts'

const grant = { grant_type: 'client_credentials' }
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const machine = basic('machine', 'machine-secret')

describe('a client', () => {
  test.each<[string, Form, Record<string, string>]>([
    ['its secret in the header', grant, machine],
    ['its secret in the header, and its id in the form', { ...grant, client_id: 'machine' }, machine],
    ['its secret in the form', { ...grant, client_id: 'machine', client_secret: 'machine-secret' }, {}],
  ])('is authenticated by %s', async (_how, form, headers) => {
    const { post } = await openServer()
    expect((await post('/token', form, headers)).status).toBe(200)
  })

  test('is authenticated by a secret with every character, encoded as in a form', async () => {
    const { giveCode, post } = await openServer()
    expect((await post('/token', await giveCode('web'), webClient)).status).toBe(200)
  })

  test.each<[string, Form, Record<string, string>]>([
    ['that is unknown', grant, basic('nobody', 'machine-secret')],
    ['with a wrong secret in the header', grant, basic('machine', 'machine-secreT')],
    ['with a wrong secret in the form', { ...grant, client_id: 'machine', client_secret: 'x' }, {}],
    ['with the secret of another client', grant, basic('machine', 'basic-secret')],
    ['without its secret', { ...grant, client_id: 'machine' }, {}],
    ['with an empty secret', grant, basic('machine', '')],
    ['that is not named', grant, {}],
    ['that is named by an id of the service', { ...grant, client_id: 'first-party' }, {}],
    ['that is named by an account', { ...grant, client_id: 'acc_1' }, {}],
    ['that is named by a member of every object', { ...grant, client_id: '__proto__' }, {}],
    ['with the header that its registration does not have', grant, basic('post', 'post-secret')],
    [
      'with the form that its registration does not have',
      { ...grant, client_id: 'basic', client_secret: 'basic-secret' },
      {},
    ],
    ['with a secret although it has keys', grant, basic('signed', 'A')],
    ['with a bearer token', { ...grant, client_id: 'machine' }, { authorization: 'Bearer abc' }],
    ['with a header that is not base64', grant, { authorization: 'Basic ä' }],
    ['with a header without a colon', grant, { authorization: `Basic ${btoa('machine')}` }],
    ['with a broken escape', grant, { authorization: `Basic ${btoa('machine:%zz')}` }],
  ])('%s is refused with a challenge', async (_what, form, headers) => {
    const { post, events } = await openServer()
    const refused = await post('/token', form, headers as Record<string, string>)
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic realm="/)
    expect(refused.headers.get('cache-control')).toBe('no-store')
    expect(events).toMatchObject([{ type: 'client.refused' }])
    expect(JSON.stringify(events)).not.toContain('secret":')
  })

  test.each<[string, Form, Record<string, string>, string]>([
    ['the id that it named', grant, basic('machine', 'x'), 'machine'],
    ['no id if it sent its secret as its id', grant, basic('machine-secret', 'machine'), ''],
    [
      'no id if it sent a long text as its id in a form',
      { ...grant, client_id: 'x'.repeat(20_000), client_secret: 'x' },
      {},
      '',
    ],
  ])('a refused client is recorded with %s', async (_what, form, headers, clientId) => {
    const { post, events } = await openServer()
    expect(await post('/token', form, headers)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(events).toMatchObject([{ type: 'client.refused', clientId }])
  })

  test.each<[string, Form, Record<string, string>]>([
    ['a secret twice', { ...grant, client_id: 'machine', client_secret: 'machine-secret' }, machine],
    [
      'a secret and an assertion',
      { ...grant, client_assertion_type: assertionType, client_assertion: 'a.b.c' },
      machine,
    ],
    ['another id in the form', { ...grant, client_id: 'signed' }, machine],
    ['an assertion without its type', { ...grant, client_assertion: 'a.b.c' }, {}],
    ['an assertion of another type', { ...grant, client_assertion: 'a.b.c', client_assertion_type: 'saml' }, {}],
  ])('a client with %s is refused with invalid_request, and no event is emitted', async (_what, form, headers) => {
    const { post, events } = await openServer()
    expect(await post('/token', form, headers)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(events).toEqual([])
  })

  test('a disabled client is unknown, and its tokens are refused', async () => {
    const { registry, opened } = await openRegistry()
    const { client, secret } = await registry.create({
      name: 'Registered',
      authentication: ['client_secret_basic'],
      scopes: ['articles:read'],
    })
    const headers = basic(client.id, secret ?? '')
    const given = await opened.post('/token', grant, headers)
    expect(given.status).toBe(200)
    const own = { token: given.body.access_token ?? '' }
    expect((await opened.server.readAccessToken(bearer(own.token))).ok).toBe(true)
    await registry.disable(client.id)
    expect((await opened.post('/token', grant, headers)).body.error).toBe('invalid_client')
    expect((await opened.server.readAccessToken(bearer(own.token))).ok).toBe(false)
  })
})

const bearer = (token: string) => ({
  method: 'POST',
  target: '/graphql',
  headers: new Map([['authorization', `Bearer ${token}`]]),
})

describe('an assertion', () => {
  const at = 1_800_000_000
  const good = () => ({ iss: 'signed', sub: 'signed', aud: issuer, exp: at + 300, iat: at, jti: randomUUID() })
  const { kid } = signedClient.publicJwk
  const formOf = (assertion: string): Form => {
    return { ...grant, client_assertion_type: assertionType, client_assertion: assertion }
  }

  test('authenticates the client whose key has signed it, once', async () => {
    const { post } = await openServer()
    const form = formOf(await signedClient.sign({ kid }, good()))
    expect((await post('/token', form)).status).toBe(200)
    expect((await post('/token', form)).body.error).toBe('invalid_client')
  })

  test('an assertion needs no key id if the client has one key', async () => {
    const { post } = await openServer()
    expect((await post('/token', formOf(await signedClient.sign({}, good())))).status).toBe(200)
  })

  test('an assertion id is accepted once, also from fifty requests at once and with other claims', async () => {
    const { post } = await openServer()
    const jti = randomUUID()
    const forms = await Promise.all(
      Array.from({ length: 50 }, async (_none, count) =>
        formOf(await signedClient.sign({ kid }, { ...good(), jti, exp: at + 100 + count })),
      ),
    )
    const answers = await Promise.all(forms.map((form) => post('/token', form)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test.each<[string, object]>([
    ['for the token endpoint instead of the issuer', { aud: `${issuer}/token` }],
    ['for several recipients', { aud: [issuer, 'https://api.example.com'] }],
    ['for the issuer as a list', { aud: [issuer] }],
    ['for another server', { aud: 'https://evil.example' }],
    ['without an audience', { aud: undefined }],
    ['of another issuer', { iss: 'machine' }],
    ['about another client', { sub: 'machine' }],
    ['without an id', { jti: undefined }],
    ['with an empty id', { jti: '' }],
    ['without an expiry', { exp: undefined }],
    ['with an expiry that is a text', { exp: String(at + 60) }],
    ['that has expired', { exp: at - 5 }],
    ['that lives for longer than five minutes', { exp: at + 306 }],
    ['that was issued in the future', { iat: at + 6 }],
    ['that is not valid yet', { nbf: at + 6 }],
  ])('%s is refused', async (_what, change) => {
    const { post } = await openServer()
    const form = formOf(await signedClient.sign({ kid }, { ...good(), ...change }))
    expect(await post('/token', form)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })

  test('an assertion with another key, another type or no signature is refused', async () => {
    const { post } = await openServer()
    const stranger = await createSigner('ES256')
    const good1 = await signedClient.sign({ kid }, good())
    const [head, payload, signature] = good1.split('.') as [string, string, string]
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    const hmac = Buffer.from(JSON.stringify({ alg: 'HS256', kid })).toString('base64url')
    const hostile = [
      await stranger.sign({ kid }, good()),
      await stranger.sign({ kid, jwk: stranger.publicJwk }, good()),
      await signedClient.sign({ kid: 'another' }, good()),
      await signedClient.sign({ kid, b64: true, crit: ['b64'] }, good()),
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${hmac}.${payload}.${signature}`,
      `${head}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${head}.${payload}`,
      `${good1}.`,
      'A'.repeat(9000),
    ]
    for (const assertion of hostile) {
      expect((await post('/token', formOf(assertion))).body).toMatchObject({ error: 'invalid_client' })
    }
    expect((await post('/token', formOf(good1))).status).toBe(200)
  })

  test('an assertion needs a key id if the client has several keys', async () => {
    const [first, second] = [await createSigner('ES256'), await createSigner('ES256')]
    const client = { id: 'two', name: 'Two', authentication: ['private_key_jwt'] as const, scopes: ['articles:read'] }
    const fixedClients = [{ ...client, jwks: { keys: [first.publicJwk, second.publicJwk] } }]
    const { post } = await openServer({ options: { fixedClients } })
    const claims = () => ({ ...good(), iss: 'two', sub: 'two' })
    expect((await post('/token', formOf(await first.sign({}, claims())))).body.error).toBe('invalid_client')
    for (const { sign, publicJwk } of [first, second]) {
      expect((await post('/token', formOf(await sign({ kid: publicJwk.kid }, claims())))).status).toBe(200)
    }
  })

  test('an assertion with an algorithm that its key does not have is refused', async () => {
    const rsa = await createSigner('RS256')
    const { kid: id, ...jwk } = rsa.publicJwk
    const keyed = { ...jwk, kid: id, alg: 'PS256' }
    const client = { id: 'rsa', name: 'RSA', authentication: ['private_key_jwt'] as const, scopes: ['articles:read'] }
    const fixedClients = [...clients, { ...client, jwks: { keys: [keyed] } }]
    const { post } = await openServer({ options: { fixedClients } })
    const form = formOf(await rsa.sign({ kid: id }, { ...good(), iss: 'rsa', sub: 'rsa' }))
    expect((await post('/token', form)).body.error).toBe('invalid_client')
  })
})

describe('guessing', () => {
  const wrong = basic('machine', 'wrong')

  test('guessing is limited by address: after thirty failures in a minute all requests get 429 until the minute is over', async () => {
    const { post, advance } = await openServer()
    for (let failed = 0; failed < 30; failed++) expect((await post('/token', grant, wrong)).status).toBe(401)
    for (const headers of [wrong, machine]) {
      const throttled = await post('/token', grant, headers)
      expect(throttled.status).toBe(429)
      expect(throttled.headers.get('retry-after')).toBe('60')
    }
    for (const path of ['/revoke', '/introspect']) expect((await post(path, { token: 'a' }, machine)).status).toBe(429)
    advance(60)
    expect((await post('/token', grant, machine)).status).toBe(200)
  })

  test('guesses are counted by address only, so that a stranger cannot lock a client out', async () => {
    let address = '203.0.113.1'
    const { post } = await openServer({ options: { addressOf: () => address } })
    for (let failed = 0; failed < 31; failed++) await post('/token', grant, wrong)
    expect((await post('/token', grant, machine)).status).toBe(429)
    address = '203.0.113.2'
    expect((await post('/token', grant, machine)).status).toBe(200)
  })

  test('only failed client authentication counts as a guess', async () => {
    const { post, giveCode } = await openServer()
    const code = await giveCode()
    for (let sent = 0; sent < 40; sent++) {
      expect((await post('/token', { ...code, code_verifier: 'a'.repeat(43) })).body.error).toBe('invalid_grant')
    }
    expect((await post('/token', code)).status).toBe(200)
  })

  test('successful requests are not limited by each other', async () => {
    const { post } = await openServer()
    const answers = await Promise.all(Array.from({ length: 100 }, () => post('/token', grant, machine)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
  })
})
