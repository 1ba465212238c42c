import { acceptAnyAudience, createJwtVerifier, createKeyRing, importJwtKey, type KeyRing } from '@latchkey/jwt'
import { beforeAll, describe, expect, test } from 'vitest'
import { audience, claims, createHmacVerifier, forge, header, issuer, now, seconds, secret } from './forge-token.ts'

let keys: KeyRing
beforeAll(async () => {
  keys = createKeyRing({ keys: [await importJwtKey({ id: 'hmac', algorithm: 'HS256', bytes: secret })] })
})

type Options = Partial<Parameters<typeof createJwtVerifier>[0]>
const judge = async (payload: object | string, options: Options = {}) => {
  const verifier = createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys, now, ...options })
  const verdict = await verifier.verify(forge(header, payload))
  return verdict.ok ? 'ok' : verdict.reason
}
const without = (name: keyof typeof claims) =>
  Object.fromEntries(Object.entries(claims).filter(([one]) => one !== name))

describe('a required claim', () => {
  test.each(['iss', 'sub', 'iat', 'exp'] as const)('%s must be there', async (name) => {
    expect(await judge(without(name))).toBe('claims')
    expect(await judge({ ...claims, [name]: null })).toBe('claims')
    expect(await judge({ ...claims, [name]: {} })).toBe('claims')
    expect(await judge({ ...claims, [name]: '' })).toBe('claims')
  })

  test('aud must be there', async () => expect(await judge(without('aud'))).toBe('audience'))
})

describe('a known claim of another type', () => {
  test.each([
    ['iss', [issuer]],
    ['sub', 1],
    ['sub', ['acc_1']],
    ['sub', '\ud800'],
    ['jti', 7],
    ['jti', ''],
    ['role', ['ADMIN']],
    ['role', { ADMIN: true }],
    ['role', null],
    ['role', '\ud800'],
    ['sid', 1],
    ['epoch', '1'],
    ['epoch', 1.5],
    ['epoch', -1],
    ['aud', null],
    ['aud', 1],
    ['aud', ''],
    ['aud', [audience, 1]],
    ['aud', [[audience]]],
    ['aud', { 0: audience, length: 1 }],
  ])('%s as %j is refused', async (name, value) => {
    expect(await judge({ ...claims, [name]: value })).toBe('claims')
  })
})

describe('a time', () => {
  const times: readonly [string, string][] = [
    ['a float', `${seconds}.5`],
    ['a text', `"${seconds}"`],
    ['negative', '-1'],
    ['too huge to be exact', '9007199254740993'],
    ['huge', '1e300'],
    ['beyond every number', '1e999'],
    ['null', 'null'],
    ['true', 'true'],
    ['a list', `[${seconds}]`],
    ['an object', '{"valueOf":1}'],
    ['a date', '"2027-01-15T08:00:00Z"'],
  ]
  test.each(['exp', 'iat', 'nbf'].flatMap((name) => times.map((time) => [name, ...time] as const)))(
    '%s that is %s is refused',
    async (name, _what, written) => {
      expect(await judge(JSON.stringify({ ...claims, [name]: '@' }).replace('"@"', written))).toBe('claims')
    },
  )

  test.each([
    ['before its end', seconds + 900 - 1, 'ok'],
    ['at its end, within the tolerance', seconds + 900, 'ok'],
    ['at the last moment of the tolerance', seconds + 904.999, 'ok'],
    ['after the tolerance', seconds + 905, 'expired'],
    ['long after', seconds * 2, 'expired'],
    ['when it was issued', seconds, 'ok'],
    ['a little before it was issued', seconds - 5, 'ok'],
    ['before it was issued', seconds - 6, 'not-yet-valid'],
  ])('decides: %s', async (_what, at, expected) => {
    expect(await judge(claims, { now: () => at * 1000 })).toBe(expected)
  })

  test('without tolerance is exact', async () => {
    const at = (time: number) => judge(claims, { clockToleranceSeconds: 0, now: () => time * 1000 })
    expect(await at(seconds + 899.999)).toBe('ok')
    expect(await at(seconds + 900)).toBe('expired')
    expect(await at(seconds)).toBe('ok')
    expect(await at(seconds - 1)).toBe('not-yet-valid')
  })

  test('a token is not valid before its nbf', async () => {
    expect(await judge({ ...claims, nbf: seconds + 5 })).toBe('ok')
    expect(await judge({ ...claims, nbf: seconds + 6 })).toBe('not-yet-valid')
  })
})

describe('a lifetime', () => {
  test.each([
    ['of the maximum', 0, 900, 'ok'],
    ['beyond the maximum', 0, 901, 'lifetime'],
    ['of a year', 0, 31_536_000, 'lifetime'],
    ['of nothing', 0, 0, 'lifetime'],
    ['that ends before it begins', 0, -1, 'lifetime'],
    ['stretched by an old iat', -900, 1, 'lifetime'],
  ])('%s: %s', async (_what, iat, exp, expected) => {
    expect(await judge({ ...claims, iat: seconds + iat, exp: seconds + exp })).toBe(expected)
  })

  test('may be longer with maxLifetimeSeconds', async () => {
    expect(await judge({ ...claims, exp: seconds + 3600 }, { maxLifetimeSeconds: 3600 })).toBe('ok')
  })
})

describe('the issuer', () => {
  test.each([`${issuer}/`, issuer.toUpperCase(), ` ${issuer}`, `${issuer}.evil.example`, 'https://id.example.co'])(
    '%j does not match',
    async (iss) => {
      expect(await judge({ ...claims, iss })).toBe('issuer')
    },
  )
})

describe('the audience', () => {
  test.each([
    [`${audience}/`],
    [audience.slice(0, -1)],
    [[]],
    [['https://other.example.com']],
    [[audience.toUpperCase()]],
    [`https://other.example.com ${audience}`],
  ])('%j does not match', async (aud) => {
    expect(await judge({ ...claims, aud })).toBe('audience')
  })

  const other = 'https://other.example.com'
  test.each([[[other, audience]], [[audience, other]], [[audience, audience, other]], [[audience, '*']]])(
    '%j is refused: each of these services could present the token here',
    async (aud) => {
      expect(await judge({ ...claims, aud })).toBe('audience')
    },
  )

  test('may be a list of one', async () => expect(await judge({ ...claims, aud: [audience] })).toBe('ok'))

  test.each([
    ['one that otherAudiences names beside it', [other, audience], 'ok'],
    ['one that otherAudiences names, twice', [other, audience, other], 'ok'],
    ['none beside it', audience, 'ok'],
    ['a third one', [other, audience, 'https://third.example.com'], 'audience'],
    ['only the other one', [other], 'audience'],
    ['only the other one, not in a list', other, 'audience'],
    ['none at all', [], 'audience'],
  ])('is checked against otherAudiences: %s', async (_what, aud, expected) => {
    expect(await judge({ ...claims, aud }, { otherAudiences: [other] })).toBe(expected)
  })

  test('is not widened when the list is changed later', async () => {
    const otherAudiences = ['https://third.example.com']
    const verifier = createJwtVerifier({ issuer, audience, otherAudiences, algorithms: ['HS256'], keys, now })
    otherAudiences.push(other)
    const verdict = await verifier.verify(forge(header, { ...claims, aud: [audience, other] }))
    expect(verdict).toEqual({ ok: false, reason: 'audience' })
  })

  test('may be any audience or absent with acceptAnyAudience', async () => {
    expect(await judge({ ...claims, aud: 'https://other.example.com' }, { audience: acceptAnyAudience })).toBe('ok')
    const verifier = createJwtVerifier({ issuer, audience: acceptAnyAudience, algorithms: ['HS256'], keys, now })
    expect(await verifier.verify(forge(header, without('aud')))).toMatchObject({ ok: true, claims: { aud: [] } })
    expect(await judge({ ...claims, aud: 1 }, { audience: acceptAnyAudience })).toBe('claims')
  })
})

describe('the type', () => {
  const judgeType = async (typ: unknown, options: Options = {}) => {
    const verifier = createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys, now, ...options })
    const verdict = await verifier.verify(forge({ ...header, typ }))
    return verdict.ok ? 'ok' : verdict.reason
  }

  test.each([
    'at+jwt',
    'id',
    'JWT ',
    '',
    'JWT/JWT',
    'text/JWT',
    'application/application/JWT',
    1,
    null,
    ['JWT'],
    undefined,
  ])('%j does not match', async (typ) => {
    expect(await judgeType(typ)).toBe('type')
  })

  test.each(['JWT', 'jwt', 'application/jwt', 'Application/JWT'])('%j is JWT (RFC 7515 §4.1.9)', async (typ) => {
    expect(await judgeType(typ)).toBe('ok')
  })

  test('is checked after the signature, so that no forged token gets this reason', async () => {
    const verifier = createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys, now })
    const forged = forge({ ...header, typ: 'at+jwt' }, claims, new Uint8Array(32))
    expect(await verifier.verify(forged)).toEqual({ ok: false, reason: 'signature' })
    expect(await judgeType('at+jwt')).toBe('type')
  })

  test('of another kind of token is not accepted as JWT, and JWT is not accepted as that kind', async () => {
    expect(await judgeType('at+jwt', { typ: 'at+jwt' })).toBe('ok')
    expect(await judgeType('JWT', { typ: 'at+jwt' })).toBe('type')
  })
})

describe('verified claims', () => {
  test('hold all signed members', async () => {
    const payload = {
      ...claims,
      role: 'AUTHOR EDITOR',
      sid: 'se_1',
      epoch: 0,
      scope: 'a b',
      deep: { list: [1, { a: null }] },
    }
    expect(await (await createHmacVerifier()).verify(forge(header, payload))).toEqual({ ok: true, claims: payload })
  })

  test('cannot be changed at any depth', async () => {
    const verdict = await (await createHmacVerifier()).verify(
      forge(header, { ...claims, deep: { list: [{}, null] }, none: null }),
    )
    if (!verdict.ok) throw new Error(verdict.reason)
    const { deep } = verdict.claims as unknown as { deep: { list: object[] } }
    for (const value of [verdict.claims, deep, deep.list, deep.list[0]]) expect(Object.isFrozen(value)).toBe(true)
  })

  const withMembers = (members: string) => forge(header, `${JSON.stringify(claims).slice(0, -1)},${members}}`)
  const accepted = async (token: string) => {
    const verdict = await (await createHmacVerifier()).verify(token)
    if (!verdict.ok) throw new Error(verdict.reason)
    return verdict.claims
  }

  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'then', '__defineGetter__'])(
    'have %s only when the token has it',
    async (name) => {
      expect((await accepted(forge()))[name]).toBe(undefined)
      expect(name in (await accepted(forge()))).toBe(false)
      const claim = { prototype: { role: 'ADMIN' } }
      const verified = await accepted(withMembers(`"${name}":${JSON.stringify(claim)}`))
      expect(verified[name]).toEqual(claim)
      expect(Object.keys(verified)).toContain(name)
      expect(verified.role).toBe(undefined)
      expect(({} as { role?: string }).role).toBe(undefined)
    },
  )

  test('have no prototype at any depth, except for lists', async () => {
    const verified = await accepted(withMembers('"deep":{"list":[{"a":{}}]}'))
    const { deep } = verified as unknown as { deep: { list: { a: object }[] } }
    const objects = [verified, deep, deep.list[0], deep.list[0]?.a]
    expect(objects.map((one) => Object.getPrototypeOf(one))).toEqual([null, null, null, null])
    expect(Array.isArray(deep.list) && deep.list.map(({ a }) => a)).toHaveLength(1)
  })

  test('have no prototype when the token names no audience', async () => {
    const verifier = createJwtVerifier({ issuer, audience: acceptAnyAudience, algorithms: ['HS256'], keys, now })
    const verdict = await verifier.verify(forge(header, without('aud')))
    expect(verdict.ok && Object.getPrototypeOf(verdict.claims)).toBe(null)
  })

  test.each([
    ['aud', audience, without('aud'), 'audience'],
    ['sub', 'acc_admin', without('sub'), 'claims'],
    ['exp', seconds + 60, without('exp'), 'claims'],
  ])('are not completed by a polluted prototype (%s)', async (name, value, payload, reason) => {
    const verifier = await createHmacVerifier()
    await verifier.verify(forge()) // what is loaded on first use is loaded
    const verdict = await polluted(name, value, () => verifier.verify(forge(header, payload)))
    expect(verdict).toEqual({ ok: false, reason })
  })

  test('have no role of a polluted prototype', async () => {
    const verifier = await createHmacVerifier()
    const role = await polluted('role', 'ADMIN', async () => {
      const verdict = await verifier.verify(forge())
      return verdict.ok && verdict.claims.role
    })
    expect(role).toBe(undefined)
  })

  test('are of no token whose type only a polluted prototype names', async () => {
    const verifier = await createHmacVerifier()
    const token = forge({ alg: 'HS256', kid: 'hmac' })
    expect(await polluted('typ', 'JWT', () => verifier.verify(token))).toEqual({ ok: false, reason: 'type' })
  })
})

/** Does the work while every ordinary object has one more property. */
async function polluted<T>(name: string, value: unknown, work: () => Promise<T>): Promise<T> {
  Object.defineProperty(Object.prototype, name, { value, configurable: true })
  try {
    return await work()
  } finally {
    Reflect.deleteProperty(Object.prototype, name)
  }
}

describe('a verifier is refused at once', () => {
  test.each<[string, unknown]>([
    ['issuer', ''],
    ['issuer', undefined],
    ['issuer', /id/],
    ['audience', ''],
    ['audience', undefined],
    ['audience', false],
    ['audience', Symbol('acceptAnyAudience')],
    ['otherAudiences', 'https://other.example.com'],
    ['otherAudiences', ['']],
    ['otherAudiences', [1]],
    ['otherAudiences', [acceptAnyAudience]],
    ['algorithms', []],
    ['algorithms', undefined],
    ['algorithms', 'HS256'],
    ['algorithms', ['none']],
    ['algorithms', ['HS256', 'HS512']],
    ['keys', undefined],
    ['keys', 'secret'],
    ['keys', secret],
    ['keys', []],
    ['typ', ''],
    ['clockToleranceSeconds', -1],
    ['clockToleranceSeconds', 301],
    ['clockToleranceSeconds', Number.NaN],
    ['clockToleranceSeconds', Number.POSITIVE_INFINITY],
    ['maxLifetimeSeconds', 0],
    ['maxLifetimeSeconds', Number.POSITIVE_INFINITY],
    ['maxCachedTokens', -1],
    ['maxCachedTokens', Number.NaN],
  ])('with %s %j', (name, value) => {
    const options = { issuer, audience, algorithms: ['HS256'], keys, [name]: value } as never
    expect(() => createJwtVerifier(options)).toThrow(TypeError)
    expect(() => createJwtVerifier(options)).toThrow(`"${name}"`)
  })

  test('with otherAudiences and acceptAnyAudience together', () => {
    const options = { issuer, audience: acceptAnyAudience, algorithms: ['HS256'], keys } as const
    expect(() => createJwtVerifier({ ...options, otherAudiences: ['https://other.example.com'] })).toThrow(
      '"otherAudiences"',
    )
  })
})
