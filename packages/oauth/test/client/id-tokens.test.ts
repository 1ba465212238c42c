import { createHash } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import { type OpenClient, openClient } from './support/open-client.ts'
import { createProviderKey, type ProviderKey } from './support/test-provider.ts'

type Members = Record<string, unknown>

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const without = (name: string) => (claims: Members) =>
  Object.fromEntries(Object.entries(claims).filter(([one]) => one !== name))
const withClaims = (changes: Members) => (claims: Members) => ({ ...claims, ...changes })

/** Plants something in the provider, and returns what comes of a sign-in. */
async function signInWith(plant: (opened: OpenClient) => unknown, maxAgeSeconds?: number) {
  const opened = await openClient()
  await plant(opened)
  const verdict = await opened.signIn(maxAgeSeconds === undefined ? {} : { maxAgeSeconds })
  return { verdict, opened }
}

const claimsOf = (change: (claims: Members, now: number) => Members) => (opened: OpenClient) => {
  opened.provider.changes.claims = (claims) => change(claims, Math.floor(opened.now() / 1000))
}

describe('an id token', () => {
  test('an id token of 53 KB, of a user with many groups, signs the user in', async () => {
    const { verdict } = await signInWith(claimsOf(withClaims({ groups: Array(1000).fill('g'.repeat(37)) })))
    expect(verdict).toMatchObject({ ok: true, subject: 'ada' })
  })

  test.each([
    ['of another issuer', 'issuer', claimsOf(withClaims({ iss: 'https://two.example' }))],
    ['of the issuer with a slash', 'issuer', claimsOf(withClaims({ iss: 'https://one.example/' }))],
    ['without an issuer', 'claims', claimsOf(without('iss'))],
    ['for another audience', 'audience', claimsOf(withClaims({ aud: 'other' }))],
    ['for other audiences', 'audience', claimsOf(withClaims({ aud: ['other', 'third'] }))],
    ['for no audience', 'claims', claimsOf(without('aud'))],
    ['for two without an authorized party', 'audience', claimsOf(withClaims({ aud: ['client', 'other'] }))],
    ['for two and another party', 'authorized-party', claimsOf(withClaims({ aud: ['client', 'other'], azp: 'other' }))],
    ['for this client and another party', 'authorized-party', claimsOf(withClaims({ azp: 'other' }))],
    ['that has expired', 'expired', claimsOf((claims, now) => ({ ...claims, exp: now - 35 }))],
    ['without an expiry', 'claims', claimsOf(without('exp'))],
    ['whose expiry is a text', 'claims', claimsOf((claims, now) => ({ ...claims, exp: String(now + 300) }))],
    ['that was issued in the future', 'not-yet-valid', claimsOf((claims, now) => ({ ...claims, iat: now + 35 }))],
    ['that is not valid yet', 'not-yet-valid', claimsOf((claims, now) => ({ ...claims, nbf: now + 35 }))],
    ['without a time of issue', 'claims', claimsOf(without('iat'))],
    ['with another nonce', 'nonce', claimsOf(withClaims({ nonce: 'A'.repeat(43) }))],
    ['without a nonce', 'claims', claimsOf(without('nonce'))],
    ['without a user', 'claims', claimsOf(without('sub'))],
    ['of a user with an empty id', 'subject', claimsOf(withClaims({ sub: '' }))],
    ['of a user with half a character', 'subject', claimsOf(withClaims({ sub: 'ada\ud800' }))],
    ['of a user with a NUL', 'subject', claimsOf(withClaims({ sub: 'ada\0' }))],
    ['of a user with 256 characters', 'subject', claimsOf(withClaims({ sub: 'a'.repeat(256) }))],
    ['of a user that is a number', 'claims', claimsOf(withClaims({ sub: 7 }))],
    ['of another access token', 'access-token-hash', claimsOf(withClaims({ at_hash: 'A'.repeat(22) }))],
    ['whose hash of the access token is a number', 'access-token-hash', claimsOf(withClaims({ at_hash: 7 }))],
  ] as const)('%s is refused', async (_title, detail, plant) => {
    const { verdict, opened } = await signInWith(plant)
    expect(verdict).toMatchObject({ ok: false, reason: 'id-token', detail })
    expect(verdict).not.toHaveProperty('tokens')
    expect(opened.events).toMatchObject([{ type: 'callback.refused', reason: 'id-token', detail }])
  })

  test.each([
    ['with a list of this client as its audience', claimsOf(withClaims({ aud: ['client'] }))],
    [
      'with several audiences, and this client as the authorized party',
      claimsOf(withClaims({ aud: ['client', 'other'], azp: 'client' })),
    ],
    ['that expired within the tolerance for clocks', claimsOf((claims, now) => ({ ...claims, exp: now - 25 }))],
    [
      'that was issued ahead within the tolerance for clocks',
      claimsOf((claims, now) => ({ ...claims, iat: now + 25 })),
    ],
  ])('an id token %s is accepted', async (_title, plant) => {
    expect((await signInWith(plant)).verdict).toMatchObject({ ok: true, subject: 'ada' })
  })

  test('an id token with the hash of its access token is accepted', async () => {
    const { verdict } = await signInWith(({ provider }) => {
      const hash = createHash('sha256').update('the-access-token').digest().subarray(0, 16).toString('base64url')
      provider.changes.claims = withClaims({ at_hash: hash })
      provider.changes.answer = (answer) => ({ ...answer, access_token: 'the-access-token' })
    })
    expect(verdict).toMatchObject({ ok: true })
  })

  test('signed with Ed25519 hashes its access token with SHA-512', async () => {
    const { verdict } = await signInWith(async ({ provider }) => {
      provider.keys = [await createProviderKey('EdDSA')]
      const hash = createHash('sha512').update('the-access-token').digest().subarray(0, 32).toString('base64url')
      provider.changes.claims = withClaims({ at_hash: hash })
      provider.changes.answer = (answer) => ({ ...answer, access_token: 'the-access-token' })
    })
    expect(verdict).toMatchObject({ ok: true })
  })

  const hmacWithPublicKey = async ({ provider }: OpenClient) => {
    const [key] = provider.keys
    const secret = new TextEncoder().encode(JSON.stringify(key?.published))
    const header = { alg: 'HS256', kid: String(key?.published.kid) }
    const payload = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const forged = new Map<string, string>()
    provider.changes.claims = (claims) => claims
    provider.changes.idToken = (token) => forged.get(token) ?? token
    const { sign } = provider
    provider.sign = async (claims, given) => {
      const token = await sign(claims, given)
      forged.set(token, await new SignJWT(payload(token)).setProtectedHeader(header).sign(secret))
      return token
    }
  }

  test.each([
    [
      'without a signature',
      'algorithm',
      ({ provider }: OpenClient) => {
        provider.changes.idToken = (token) => `${encode({ alg: 'none' })}.${token.split('.')[1]}.`
      },
    ],
    ['signed with the public key as a secret', 'algorithm', hmacWithPublicKey],
    [
      'with another signature',
      'signature',
      ({ provider }: OpenClient) => {
        provider.changes.idToken = (token) => `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(86)}`
      },
    ],
    [
      'with other claims than those that were signed',
      'signature',
      ({ provider }: OpenClient) => {
        provider.changes.idToken = (token) => token.replace(/\.([\w-]+)\./, `.${encode({ sub: 'eve' })}.`)
      },
    ],
    [
      'of another type',
      'type',
      ({ provider }: OpenClient) => {
        provider.changes.header = () => ({ typ: 'at+jwt' })
      },
    ],
    [
      'that is a logout token',
      'type',
      ({ provider }: OpenClient) => {
        provider.changes.header = () => ({ typ: 'logout+jwt' })
      },
    ],
    [
      'with an extension that must be understood',
      'malformed',
      ({ provider }: OpenClient) => {
        provider.changes.idToken = (token) => token.replace(/^[^.]+/, encode({ alg: 'ES256', crit: ['exp'] }))
      },
    ],
    [
      'with a key that is not published',
      'key',
      async ({ provider }: OpenClient) => {
        const [known] = provider.keys
        provider.keys = [await createProviderKey()]
        provider.changes.jwks = () => (known ? [known.published] : [])
      },
    ],
    [
      'whose key is for encryption',
      'key',
      ({ provider }: OpenClient) => {
        provider.changes.jwks = (keys) => keys.map((key) => ({ ...key, use: 'enc' }))
      },
    ],
    [
      'whose key is for another algorithm',
      'key',
      ({ provider }: OpenClient) => {
        provider.changes.jwks = (keys) => keys.map((key) => ({ ...key, alg: 'ES384' }))
      },
    ],
    [
      'that is no token',
      'malformed',
      ({ provider }: OpenClient) => {
        provider.changes.idToken = () => 'nothing'
      },
    ],
    [
      'of more than 64 KB',
      'malformed',
      ({ provider }: OpenClient) => {
        provider.changes.claims = withClaims({ name: 'a'.repeat(49_152) })
      },
    ],
    [
      'that is encrypted',
      'malformed',
      ({ provider }: OpenClient) => {
        provider.changes.idToken = () => 'a.b.c.d.e'
      },
    ],
    [
      'that is a number',
      'malformed',
      ({ provider }: OpenClient) => {
        provider.changes.answer = (answer) => ({ ...answer, id_token: 7 })
      },
    ],
    [
      'that is missing',
      'missing',
      ({ provider }: OpenClient) => {
        provider.changes.idToken = () => undefined
      },
    ],
  ] as const)('%s is refused', async (_title, detail, plant) => {
    const { verdict } = await signInWith(plant)
    expect(verdict).toMatchObject({ ok: false, reason: 'id-token', detail })
  })

  test('an id token with an algorithm that its provider does not use is refused, even if the key is published', async () => {
    const { verdict } = await signInWith(async ({ provider }) => {
      provider.keys = [await createProviderKey('ES384')]
    })
    expect(verdict).toMatchObject({ ok: false, reason: 'id-token', detail: 'algorithm' })
  })

  test.each([
    ['as old as max_age', 60, 60, { ok: true }],
    ['older than max_age', 60, 95, { ok: false, reason: 'id-token', detail: 'auth-time' }],
    ['of no known age', 60, undefined, { ok: false, reason: 'id-token', detail: 'claims' }],
    ['of any age, without max_age', undefined, 9999, { ok: true }],
    ['a little ahead of this clock', 60, -30, { ok: true }],
    ['of the future', 60, -31, { ok: false, reason: 'id-token', detail: 'auth-time' }],
    ['of the future, without max_age', undefined, -31, { ok: false, reason: 'id-token', detail: 'auth-time' }],
    ['at an impossible time', undefined, -1e308, { ok: false, reason: 'id-token', detail: 'auth-time' }],
  ])(
    'an id token with a sign-in %s is accepted or refused by its auth_time',
    async (_title, maxAgeSeconds, age, expected) => {
      const plant = claimsOf((claims, now) => ({ ...claims, ...(age !== undefined && { auth_time: now - age }) }))
      const { verdict, opened } = await signInWith(plant, maxAgeSeconds)
      expect(verdict).toMatchObject(expected)
      expect(opened.provider.count('/token')).toBe(1)
    },
  )
})

describe('userinfo', () => {
  const withoutEmail = (opened: OpenClient, userinfo: (claims: Members) => unknown) => {
    opened.provider.changes.claims = without('email')
    opened.provider.changes.userinfo = userinfo
  }
  test('userinfo of another user signs in no user', async () => {
    const { verdict } = await signInWith((opened) => withoutEmail(opened, (claims) => ({ ...claims, sub: 'eve' })))
    expect(verdict).toMatchObject({ ok: false, reason: 'user' })
  })

  test.each([
    ['without a user', (claims: Members) => without('sub')(claims)],
    ['that is a list', () => []],
    ['that is a text', () => 'ada'],
  ])('%s is an error, and no verdict', async (_title, userinfo) => {
    await expect(signInWith((opened) => withoutEmail(opened, userinfo))).rejects.toMatchObject({
      code: 'OAUTH_PROVIDER_INVALID',
    })
  })
})

/** The modules of the plans for relying parties of the OpenID Foundation's suite, each with its violation planted. */
describe('oidcc-client-basic-certification-test-plan', () => {
  let rsa: ProviderKey | undefined
  const useRsa = async ({ provider }: OpenClient) => {
    rsa ??= await createProviderKey('RS256')
    provider.keys = [rsa]
  }
  afterAll(() => {
    rsa = undefined
  })
  const both =
    (...plants: readonly ((opened: OpenClient) => unknown)[]) =>
    async (opened: OpenClient) => {
      for (const plant of plants) await plant(opened)
    }
  const idToken = (detail: string) => ({ ok: false, reason: 'id-token', detail })

  test.each([
    ['oidcc-client-test', () => {}, { ok: true, subject: 'ada' }],
    ['oidcc-client-test-invalid-iss', claimsOf(withClaims({ iss: 'https://one.example/1' })), idToken('issuer')],
    ['oidcc-client-test-missing-sub', claimsOf(without('sub')), idToken('claims')],
    ['oidcc-client-test-invalid-aud', claimsOf(withClaims({ aud: 'client1' })), idToken('audience')],
    ['oidcc-client-test-missing-iat', claimsOf(without('iat')), idToken('claims')],
    [
      'oidcc-client-test-kid-absent-single-jwks',
      async ({ provider }: OpenClient) => {
        provider.keys = [await createProviderKey('RS256', { kid: undefined })]
      },
      { ok: true },
    ],
    [
      'oidcc-client-test-kid-absent-multiple-jwks',
      async ({ provider }: OpenClient) => {
        const nameless = { kid: undefined }
        provider.keys = [await createProviderKey('RS256', nameless), await createProviderKey('RS256', nameless)]
      },
      idToken('key'),
    ],
    [
      'oidcc-client-test-ignores-unparseable-key-in-jwks',
      ({ provider }: OpenClient) => {
        provider.changes.jwks = (keys) => [
          { kty: 'AKP', alg: 'ML-DSA-1', kid: 'akp', pub: 'AAAA' },
          { kty: 'made-up', kid: 'made-up' },
          ...keys,
        ]
      },
      { ok: true },
    ],
    ['oidcc-client-test-idtoken-sig-rs256', useRsa, { ok: true }],
    [
      'oidcc-client-test-idtoken-sig-none',
      ({ provider }: OpenClient) => {
        provider.changes.idToken = (token) => `${encode({ alg: 'none' })}.${token.split('.')[1]}.`
      },
      idToken('algorithm'),
    ],
    [
      'oidcc-client-test-invalid-sig-rs256',
      both(useRsa, ({ provider }) => {
        provider.changes.idToken = (token) => `${token.slice(0, -8)}AAAAAAAA`
      }),
      idToken('signature'),
    ],
    [
      'oidcc-client-test-userinfo-invalid-sub',
      ({ provider }: OpenClient) => {
        provider.changes.claims = without('email')
        provider.changes.userinfo = withClaims({ sub: 'ada1' })
      },
      { ok: false, reason: 'user' },
    ],
    ['oidcc-client-test-nonce-invalid', claimsOf(withClaims({ nonce: 'another' })), idToken('nonce')],
    [
      'oidcc-client-test-scope-userinfo-claims',
      ({ provider }: OpenClient) => {
        provider.changes.claims = without('email')
      },
      { ok: true, email: 'ada@one.example', emailVerified: true, claims: { name: 'Ada' } },
    ],
    [
      'oidcc-client-test-client-secret-basic',
      ({ provider }: OpenClient) => {
        const expected = `Basic ${Buffer.from('client:secret%2Dof%2Dclient').toString('base64')}`
        provider.changes.respond = ({ path, authorization }) =>
          path === '/token' && authorization !== expected
            ? new Response('{"error":"invalid_client"}', { status: 401 })
            : null
      },
      { ok: true },
    ],
  ])('%s', async (_module, plant, expected) => {
    const { verdict } = await signInWith(plant)
    expect(verdict).toMatchObject(expected)
  })
})

describe('oidcc-client-config-certification-test-plan', () => {
  test('oidcc-client-test-discovery-openid-config', async () => {
    const { verdict, opened } = await signInWith(({ provider }) => {
      provider.changes.discovery = (document) => ({
        ...document,
        authorization_endpoint: 'https://one.example/elsewhere?a=1',
      })
    })
    expect(verdict).toMatchObject({ ok: true })
    expect(await opened.begin()).toMatch(/^https:\/\/one\.example\/elsewhere\?a=1&/)
    expect(opened.provider.count('/.well-known/openid-configuration')).toBe(1)
  })

  test('oidcc-client-test-discovery-jwks-uri-keys', async () => {
    const { opened } = await signInWith(() => {})
    expect(opened.provider.count('/jwks')).toBe(1)
  })

  test('oidcc-client-test-discovery-issuer-mismatch', async () => {
    const plant = ({ provider }: OpenClient) => {
      provider.changes.discovery = (document) => ({ ...document, issuer: 'https://one.example/1' })
    }
    await expect(signInWith(plant)).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_INVALID' })
  })

  test('oidcc-client-test-idtoken-sig-none', async () => {
    const { verdict } = await signInWith(({ provider }) => {
      provider.changes.idToken = (token) => `${encode({ alg: 'none' })}.${token.split('.')[1]}.`
    })
    expect(verdict).toMatchObject({ ok: false, detail: 'algorithm' })
  })

  test('oidcc-client-test-signing-key-rotation', async () => {
    const { opened } = await signInWith(() => {})
    opened.provider.keys = [await createProviderKey('RS256')]
    opened.advance(31)
    expect(await opened.signIn()).toMatchObject({ ok: true })
  })

  test('oidcc-client-test-signing-key-rotation-just-before-signing', async () => {
    const { opened } = await signInWith(() => {})
    opened.advance(31)
    const callback = opened.provider.authorize(await opened.begin())
    opened.provider.keys = [await createProviderKey('RS256')]
    expect(await opened.finish(callback)).toMatchObject({ ok: true })
    expect(opened.provider.count('/jwks')).toBe(2)
  })
})

describe('oidcc-client-refreshtoken-test-plan', () => {
  async function refreshWith(plant: (opened: OpenClient) => unknown) {
    const { verdict, opened } = await signInWith(() => {})
    if (!verdict.ok) throw new Error('not signed in')
    plant(opened)
    const { issuer, subject } = verdict
    return { opened, renewed: await opened.client.refresh(verdict.tokens.refreshToken ?? '', { issuer, subject }) }
  }

  test('oidcc-client-test-refresh-token', async () => {
    const { renewed, opened } = await refreshWith(() => {})
    expect(renewed).toMatchObject({ ok: true, claims: { sub: 'ada' } })
    const accessToken = renewed.ok ? renewed.tokens.accessToken : ''
    expect(await opened.client.userinfo(accessToken, { subject: 'ada' })).toMatchObject({ ok: true })
  })

  test.each([
    ['oidcc-client-test-refresh-token-invalid-issuer', withClaims({ iss: 'https://two.example' }), 'issuer'],
    ['oidcc-client-test-refresh-token-invalid-sub', withClaims({ sub: 'eve' }), 'subject'],
    ['oidcc-client-test-refresh-token-invalid-aud', withClaims({ aud: 'other' }), 'audience'],
    ['oidcc-client-test-refresh-token-invalid-azp', withClaims({ azp: 'other' }), 'authorized-party'],
  ])('%s', async (_module, change, detail) => {
    const { renewed } = await refreshWith(({ provider }) => {
      provider.changes.claims = change
    })
    expect(renewed).toEqual({ ok: false, reason: 'id-token', detail })
  })
})
