import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openReader } from './support/open-reader.ts'
import { documentOf, http, openSite, type Site } from './support/open-site.ts'

let site: Site

beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

const read = async (text: string) => {
  site.answer(http(text))
  const reader = openReader({ issuer: 'http://127.0.0.1:3000' })
  const reading = await reader.readOnce(site.id)
  expect(reader.connections).toHaveLength(1)
  return reading
}
/** Reads a good document with other members; `undefined` leaves one out. */
const readWith = (members: Readonly<Record<string, unknown>>) => read(documentOf(site.id, members))
const invalid = { kind: 'invalid', reason: expect.stringMatching(/^[a-z_]/) }

const jwkOf = (type: 'ec' | 'ed25519' | 'rsa' | 'x25519') => {
  const { publicKey, privateKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : type === 'ed25519'
          ? generateKeyPairSync('ed25519')
          : generateKeyPairSync('x25519')
  return { public: publicKey.export({ format: 'jwk' }), private: privateKey.export({ format: 'jwk' }) }
}
const ec = jwkOf('ec')
const rsa = jwkOf('rsa')
const ed25519 = jwkOf('ed25519')

describe('a document', () => {
  test('a document with the required members describes a public client without refresh tokens', async () => {
    expect(await readWith({})).toEqual({
      kind: 'client',
      fetched: true,
      client: {
        clientId: site.id,
        clientName: 'Notes',
        redirectUris: ['https://notes.example/callback'],
        tokenEndpointAuthMethod: 'none',
        grantTypes: ['authorization_code'],
      },
    })
  })

  test('a document with all members describes the client, and other members are ignored', async () => {
    const reading = await readWith({
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1:8080/callback', 'com.example.notes:/callback'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...ec.public, kid: '1', alg: 'ES256', use: 'sig', x5u: 'https://evil.example', extra: 1 }] },
      grant_types: ['refresh_token', 'authorization_code'],
      scope: 'openid  articles:read openid',
      logo_uri: 'http://169.254.169.254/logo.png',
      client_uri: 'javascript:alert(1)',
      policy_uri: 7,
      contacts: null,
      response_types: ['code'],
      software_statement: 'x.y.z',
      first_party: true,
      firstParty: true,
      isDisabled: false,
      kind: 'native',
      authentication: ['client_secret_basic'],
      secretHashes: ['a'],
    })
    expect(reading).toEqual({
      kind: 'client',
      fetched: true,
      client: {
        clientId: site.id,
        clientName: 'Notes',
        redirectUris: ['http://localhost/callback', 'http://127.0.0.1:8080/callback', 'com.example.notes:/callback'],
        tokenEndpointAuthMethod: 'private_key_jwt',
        jwks: { keys: [{ ...ec.public, kid: '1', alg: 'ES256', use: 'sig' }] },
        grantTypes: ['authorization_code', 'refresh_token'],
        scope: 'openid articles:read',
      },
    })
  })

  test.each([
    ['no characters', ''],
    ['no JSON', '<!doctype html>'],
    ['half of JSON', '{"client_id":'],
    ['two values', '{}{}'],
    ['a comment', '{} // end'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"https://notes.example"'],
    ['a number', '1'],
    ['an empty object', '{}'],
    ['lists in lists', '['.repeat(5000)],
    ['objects in objects', '{"a":'.repeat(850)],
  ])('a document of %s is invalid', async (_what, text) => {
    expect(await read(text)).toEqual(invalid)
  })

  test('a list with a document is invalid', async () => {
    expect(await read(`[${documentOf(site.id)}]`)).toEqual(invalid)
  })

  test.each(['__proto__', 'constructor', 'prototype'])(
    'a document with its members in %s is invalid, and a valid document with this member ignores it',
    async (name) => {
      const members = documentOf(site.id)
      expect(await read(`{"${name}":${members}}`)).toEqual(invalid)
      const reading = await read(
        members.replace(/}$/, `,"${name}":{"client_secret":"a","jwks":{"keys":[]},"scope":"admin"}}`),
      )
      expect(reading).toMatchObject({ kind: 'client' })
      expect(reading).not.toHaveProperty('client.scope')
    },
  )

  test('the last of two equal members counts', async () => {
    const document = documentOf(site.id)
    expect(await read(document.replace('{', '{"client_id":"https://notes.example/a",'))).toMatchObject({
      kind: 'client',
    })
    expect(await read(document.replace(/}$/, ',"client_id":"https://notes.example/a"}'))).toEqual(invalid)
    expect(await read(document.replace(/}$/, ',"redirect_uris":["http://notes.example"]}'))).toEqual(invalid)
  })

  test('the reason does not quote the document', async () => {
    for (const members of [
      { client_id: 'secret-of-a-machine' },
      { client_name: '\u202esecret' },
      { redirect_uris: ['http://secret.example'] },
      { token_endpoint_auth_method: 'secret' },
      { grant_types: ['secret'] },
      { scope: 'secret\n' },
    ]) {
      const reading = await readWith(members)
      expect(reading).toEqual(invalid)
      expect(JSON.stringify(reading)).not.toContain('secret')
    }
  })
})

describe('client_id', () => {
  test.each([
    ['missing', () => undefined],
    ['null', () => null],
    ['a list with the id', (id: string) => [id]],
    ['of another port', (id: string) => id.replace(/:\d+\//, ':4000/')],
    ['of another host', (id: string) => id.replace('127.0.0.1', 'localhost')],
    ['with a slash at the end', (id: string) => `${id}/`],
    ['with a query', (id: string) => `${id}?`],
    ['with a fragment', (id: string) => `${id}#`],
    ['with a space', (id: string) => `${id} `],
    ['in upper case', (id: string) => id.toUpperCase()],
    ['with an escaped letter', (id: string) => id.replace('client', '%63lient')],
    ['with a dot segment', (id: string) => id.replace('/client', '/./client')],
    ['with a character of no width', (id: string) => `${id}\u200b`],
  ])('client_id %s is invalid', async (_what, change) => {
    expect(await readWith({ client_id: change(site.id) })).toEqual(invalid)
  })
})

describe('client_name', () => {
  test.each([
    ...[
      'N',
      'n'.repeat(100),
      'Notes & <b>More</b>',
      "Ada's",
      'Notizbücher',
      'メモ',
      'ملاحظات',
      'הערות',
      'हिन्दी',
      'Ghi chú',
    ],
    ...['Zu\u0308rich', '🗒', '😀'.repeat(100)],
  ])('client_name %s stays unchanged', async (name) => {
    expect(await readWith({ client_name: name })).toMatchObject({ kind: 'client', client: { clientName: name } })
  })

  test.each([
    ...[undefined, null, 1, true, {}, ['Notes'], '', ' ', '\t', 'n'.repeat(101), '😀'.repeat(101), ' Notes', 'Notes '],
    ...[
      'No\ntes',
      'No\rtes',
      'No\ttes',
      'No\0tes',
      'No\u001btes',
      'No\u007ftes',
      'No\u0085tes',
      'No\u2028tes',
      'No\u2029tes',
    ],
    // Directions, and characters of no width.
    ...['\u202eseton', 'No\u202atest', 'No\u2066tes\u2069', 'No\u200etes', 'No\u061ctes', 'No\u200btes', 'No\u200dtes'],
    ...['\ufeffNotes', 'No\u2060tes', 'No\u00adtes', 'No\u034ftes', 'No\ufe0ftes', 'No\u{e0041}tes', 'No\u{e0100}tes'],
    // Spaces that are wider, narrower, or seem to be letters.
    ...[
      '\u00a0',
      '\u3000',
      '\u2003Notes',
      'No\u00a0tes',
      'No\u2000tes',
      'No\u3000tes',
      '\u2800',
      '\u3164',
      '\u115f',
      '\uffa0',
    ],
    // Half of a pair, private use, and not assigned.
    ...['No\ud800tes', 'No\udc00tes', 'No\ue000tes', 'No\u{f0000}tes', 'No\u0378tes', 'No\uffffes'],
    // Marks that lie over what stands before, or around.
    ...['\u0301Notes', '\u20dd', `N${'\u0301'.repeat(5)}`, `N${'\u0334\u0335\u0336\u0337\u0338'}otes`],
  ])('%j is invalid', async (name) => {
    expect(await readWith({ client_name: name })).toEqual(invalid)
  })
})

describe('redirect_uris', () => {
  const https = (count: number) => Array.from({ length: count }, (_, index) => `https://notes.example/${index}`)

  test('redirect_uris have 1 to 10 addresses, without repetitions', async () => {
    expect(await readWith({ redirect_uris: https(10) })).toMatchObject({ client: { redirectUris: https(10) } })
    expect(await readWith({ redirect_uris: https(11) })).toEqual(invalid)
    const twice = [...https(1), ...https(2)]
    expect(await readWith({ redirect_uris: twice })).toMatchObject({ client: { redirectUris: https(2) } })
  })

  test.each([
    ...[undefined, null, {}, 'https://notes.example/callback', [], [null], [1], [['https://notes.example']], ['']],
    ...[
      'http://notes.example/callback',
      'http://10.0.0.1/callback',
      'https://notes.example/#',
      'https://notes.example/*',
      'https://*.notes.example/callback',
      'https://ada@notes.example/callback',
      'https://notes.example/../callback',
      'https://notes.example/%2e%2e/callback',
      'https://notes.example\\callback',
      'https://Notes.example/callback',
      'https://notes.example:443/callback',
      'https://bücher.example/callback',
      'https://notes.example/\n',
      'javascript:alert(1)',
      'data:text/html,hi',
      'file:///etc/passwd',
      'blob:https://notes.example/a',
      'notes:/callback',
      'notes://callback',
      '/callback',
      '//notes.example/callback',
      `https://notes.example/${'a'.repeat(2048)}`,
    ].map((uri) => ['https://notes.example/callback', uri]),
  ])('%j are invalid', async (uris) => {
    expect(await readWith({ redirect_uris: uris })).toEqual(invalid)
  })
})

describe('token_endpoint_auth_method', () => {
  test.each([
    ...[null, '', 1, [], ['none'], 'None', 'none ', 'client_secret_basic', 'client_secret_post', 'client_secret_jwt'],
    ...['tls_client_auth', 'self_signed_tls_client_auth', 'toString', '__proto__'],
  ])('%j is invalid', async (method) => {
    const reading = await readWith({ token_endpoint_auth_method: method, jwks: { keys: [ec.public] } })
    expect(reading).toEqual(invalid)
  })

  test.each([
    ...['client_secret', 'client_secret_expires_at', 'jwks_uri'].flatMap((name) =>
      ['', 'a', 0, null, {}].map((value) => ({ [name]: value })),
    ),
    {
      jwks_uri: 'https://notes.example/jwks',
      jwks: { keys: [ec.public] },
      token_endpoint_auth_method: 'private_key_jwt',
    },
  ])('a document with %j is invalid', async (members) => {
    expect(await readWith(members)).toEqual(invalid)
  })
})

describe('jwks', () => {
  const readKeys = (jwks: unknown, method = 'private_key_jwt') => readWith({ token_endpoint_auth_method: method, jwks })

  test.each([
    ['of an elliptic curve', ec],
    ['of RSA', rsa],
    ['of EdDSA', ed25519],
  ])(
    'a public key %s is valid, and a private key is invalid with every method',
    async (_what, { public: shown, private: secret }) => {
      expect(await readKeys({ keys: [shown] })).toMatchObject({ client: { jwks: { keys: [shown] } } })
      for (const method of ['private_key_jwt', 'none']) {
        expect(await readKeys({ keys: [secret] }, method)).toEqual(invalid)
        expect(await readKeys({ keys: [shown, secret] }, method)).toEqual(invalid)
      }
    },
  )

  test.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])(
    'a key with the secret member %s is invalid',
    async (name) => {
      for (const value of ['AQAB', '', null]) {
        for (const method of ['private_key_jwt', 'none']) {
          expect(await readKeys({ keys: [{ ...rsa.public, [name]: value }] }, method)).toEqual(invalid)
        }
      }
    },
  )

  test('the keys of a client without authentication are ignored', async () => {
    expect(await readKeys({ keys: [ec.public] }, 'none')).not.toHaveProperty('client.jwks')
  })

  test('keys for encryption and keys of unknown kinds are ignored', async () => {
    const others: object[] = [
      jwkOf('x25519').public,
      { kty: 'AKP', alg: 'ML-DSA-44', pub: 'AQAB' },
      { ...ec.public, use: 'enc' },
      { kty: 'EC', crv: 'P-256' },
    ]
    const keys = [...others, { ...ec.public, use: 'sig' }, { ...ed25519.public, kid: 'b' }]
    expect(await readKeys({ keys })).toMatchObject({
      client: {
        jwks: {
          keys: [
            { ...ec.public, use: 'sig' },
            { ...ed25519.public, kid: 'b' },
          ],
        },
      },
    })
    expect(await readKeys({ keys: others })).toEqual(invalid)
  })

  test.each([
    ...[
      undefined,
      null,
      '',
      'a',
      1,
      [],
      {},
      { keys: null },
      { keys: {} },
      { keys: [] },
      { keys: [null] },
      { keys: ['a'] },
    ],
    ...[{ keys: [[]] }, { keys: [{}] }, { keys: [{ kty: 'oct', k: 'AQAB' }] }, { keys: [{ kty: 'constructor' }] }],
    ...[{ keys: [{ kty: 'EC', crv: 'P-256', x: 1, y: 2 }] }, { keys: new Array(11).fill(ed25519.public) }],
    ...[{ keys: [{ ...ec.public, kid: 1 }] }, { keys: [{ ...ec.public, alg: ['ES256'] }] }, [ec.public], ec.public],
  ])('%j is invalid for private_key_jwt', async (jwks) => {
    expect(await readKeys(jwks)).toEqual(invalid)
  })
})

describe('grant_types', () => {
  test.each([
    [undefined, ['authorization_code']],
    [['authorization_code'], ['authorization_code']],
    [
      ['authorization_code', 'refresh_token', 'refresh_token'],
      ['authorization_code', 'refresh_token'],
    ],
  ])('grant_types %j are read as %j', async (given, grantTypes) => {
    expect(await readWith({ grant_types: given })).toMatchObject({ kind: 'client', client: { grantTypes } })
  })

  test.each([
    ...[
      null,
      '',
      'authorization_code',
      {},
      [],
      [null],
      ['refresh_token'],
      ['Authorization_code'],
      [['authorization_code']],
    ],
    ...[['client_credentials'], ['refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']],
  ])('%j is invalid', async (given) => {
    expect(await readWith({ grant_types: given })).toEqual(invalid)
  })
})

describe('another grant in grant_types', () => {
  const code = 'authorization_code'
  test.each([
    ...['client_credentials', 'implicit', 'password', 'urn:ietf:params:oauth:grant-type:device_code', '', 'toString'],
    ...['urn:ietf:params:oauth:grant-type:jwt-bearer', 'urn:ietf:params:oauth:grant-type:token-exchange'],
  ])('%j in grant_types with authorization_code is ignored', async (other) => {
    expect(await readWith({ grant_types: [other, code] })).toMatchObject({ client: { grantTypes: [code] } })
    const both = [code, 'refresh_token']
    expect(await readWith({ grant_types: [...both, other] })).toMatchObject({ client: { grantTypes: both } })
  })
})

describe('scope', () => {
  test.each([null, '', ' ', 1, [], ['openid'], 'a\nb', 'a\tb', 'a"b', 'a\\b', 'ä', 'a'.repeat(129)])(
    '%j is invalid',
    async (scope) => {
      expect(await readWith({ scope })).toEqual(invalid)
    },
  )
})
