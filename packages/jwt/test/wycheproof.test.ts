import { constants, createHash, generateKeyPairSync, privateEncrypt, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { acceptAnyAudience, createJwtVerifier, importJwtKey, type JwtKey } from '@latchkey/jwt'
import { describe, expect, test } from 'vitest'
import { audience, claims, encode, issuer, now } from './forge-token.ts'

interface Vector {
  readonly id: number
  readonly comment: string
  readonly jws: string
  readonly result: 'valid' | 'invalid'
}

interface Group {
  readonly comment: string
  readonly jwk: Readonly<Record<string, never>>
  readonly tests: readonly Vector[]
}

const file = new URL('fixtures/wycheproof-jws.json', import.meta.url)
const { groups }: { readonly groups: readonly Group[] } = JSON.parse(readFileSync(file, 'utf8'))
const algorithms = ['HS256', 'RS256', 'PS256', 'ES256', 'EdDSA'] as const

/** The keys that one key of a vector can be taken for. */
async function keysOf({ jwk }: Group): Promise<readonly JwtKey[]> {
  const imports = algorithms.map((algorithm) => {
    const material = algorithm === 'HS256' ? { bytes: Buffer.from(jwk.k ?? '', 'base64url') } : { jwk }
    return importJwtKey({ id: algorithm, algorithm, ...material } as Parameters<typeof importJwtKey>[0])
  })
  const outcomes = await Promise.allSettled(imports)
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}

async function judge(key: JwtKey, jws: string): Promise<string> {
  const options = { issuer, audience: acceptAnyAudience, algorithms, keys: { find: async () => key }, now } as const
  const verdict = await createJwtVerifier(options).verify(jws)
  return verdict.ok ? 'accepted' : verdict.reason
}

/** Changes one bit of the signature, in its first character. */
function alterSignature(jws: string): string {
  const at = jws.lastIndexOf('.') + 1
  const bytes = Buffer.from(jws.slice(at), 'base64url')
  bytes[0]! ^= 0x80
  return jws.slice(0, at) + bytes.toString('base64url')
}

/**
 * What the vectors say is not followed for these. Of the first two the text is that of the valid vector 357, without any
 * padding; of the others the text is not what was signed, or is no token.
 */
const exceptions: ReadonlyMap<number, { readonly reason: string; readonly why: string }> = new Map([
  [367, { reason: 'type', why: 'equals 357, which is valid' }],
  [370, { reason: 'type', why: 'equals 357, which is valid' }],
  [372, { reason: 'malformed', why: 'has a question mark in its header (RFC 7515 §2)' }],
  [373, { reason: 'malformed', why: 'has a question mark in its payload (RFC 7515 §2)' }],
  [259, { reason: 'malformed', why: 'has no payload, and a JWT has claims (RFC 7519 §7.2)' }],
  [272, { reason: 'malformed', why: 'has no payload, and a JWT has claims (RFC 7519 §7.2)' }],
  [346, { reason: 'algorithm', why: 'names PS384, and its key PS256' }],
  [350, { reason: 'algorithm', why: 'names PS384, and its key PS256' }],
])

describe('the vectors of Project Wycheproof for JSON Web Signatures', async () => {
  const judged: { readonly vector: Vector; readonly key: JwtKey; readonly reason: string }[] = []
  for (const group of groups) {
    for (const key of await keysOf(group)) {
      for (const vector of group.tests) judged.push({ vector, key, reason: await judge(key, vector.jws) })
    }
  }
  const count = (entries: typeof judged) => {
    const outcomes = entries.map(({ vector, reason }) => `${vector.result}: ${reason}`)
    return Object.fromEntries(
      [...new Set(outcomes)].sort().map((one) => [one, outcomes.filter((o) => o === one).length]),
    )
  }

  test('are complete: 401, of which 362 have a key for an algorithm that is supported', () => {
    expect(groups.flatMap(({ tests }) => tests)).toHaveLength(401)
    expect(judged).toHaveLength(362)
  })

  // None has a `typ`, which is looked at when the signature was found to be good.
  test('reach the signature check: 312 of 362, of which 24 have a good signature', () => {
    expect(count(judged)).toEqual({
      'invalid: algorithm': 1,
      'invalid: malformed': 43,
      'invalid: signature': 288,
      'invalid: type': 2,
      'valid: algorithm': 2,
      'valid: malformed': 4,
      'valid: type': 22,
    })
  })

  test.each(judged.filter(({ vector }) => vector.result === 'valid' && !exceptions.has(vector.id)))(
    'have a good signature if they are valid: $vector.id $vector.comment ($key.algorithm)',
    async ({ vector, key, reason }) => {
      expect(reason).toBe('type')
      expect(await judge(key, alterSignature(vector.jws))).toBe('signature')
    },
  )

  test.each(judged.filter(({ vector }) => vector.result === 'invalid' && !exceptions.has(vector.id)))(
    'are refused for signature, encoding or algorithm if they are invalid: $vector.id $vector.comment ($key.algorithm)',
    ({ reason }) => {
      expect(reason).toMatch(/^(signature|malformed|algorithm)$/)
    },
  )

  test.each([...exceptions].map(([id, exception]) => ({ id, ...exception })))(
    'are judged otherwise only where $id $why',
    ({ id, reason }) => {
      expect(judged.filter(({ vector }) => vector.id === id).map((one) => one.reason)).toEqual([reason])
    },
  )

  test('with a different verdict and a good signature equal a valid vector', () => {
    const jwsOf = (id: number) => judged.find(({ vector }) => vector.id === id)?.vector.jws
    expect([jwsOf(367), jwsOf(370)]).toEqual([jwsOf(357), jwsOf(357)])
  })

  test.each(groups.filter(({ jwk }) => jwk.alg === undefined))(
    'bring a key that is for encryption, which is not imported ($comment)',
    async (group) => {
      expect(await keysOf(group)).toEqual([])
    },
  )
})

const header = (alg: string) => ({ alg, typ: 'JWT', kid: 'pair' })

describe('numbers that some libraries accepted as a signature of anything', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const keys = { find: async () => importJwtKey({ id: 'pair', algorithm: 'ES256', jwk }) }
  const verifier = createJwtVerifier({ issuer, audience, algorithms: ['ES256'], keys, now })
  const signingInput = `${encode(header('ES256'))}.${encode(claims)}`
  const special = groups.find(({ comment }) => comment === 'SpecialCaseEs256')?.tests.slice(1) ?? []

  test('would be a valid token with a signature', async () => {
    const signature = sign('sha256', Buffer.from(signingInput), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    expect(await verifier.verify(`${signingInput}.${signature.toString('base64url')}`)).toMatchObject({ ok: true })
  })

  test.each(special)('$id $comment', async ({ jws }) => {
    const verdict = await verifier.verify(`${signingInput}.${jws.slice(jws.lastIndexOf('.') + 1)}`)
    expect(verdict).toMatchObject({ ok: false, reason: expect.stringMatching(/^(signature|malformed)$/) })
  })
})

describe('a signature of RS256 with a padding other than RFC 8017 §9.2', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = publicKey.export({ format: 'jwk' })
  const keys = { find: async () => importJwtKey({ id: 'pair', algorithm: 'RS256', jwk }) }
  const verifier = createJwtVerifier({ issuer, audience, algorithms: ['RS256'], keys, now })
  const signingInput = `${encode(header('RS256'))}.${encode(claims)}`
  const digest = createHash('sha256').update(signingInput).digest('hex')
  const sha256 = '3031300d060960864801650304020105000420'

  const pad = (tail: string, { type = '01', filler = 'ff', zero = '00' } = {}): string => {
    const count = 256 - 2 - 1 - tail.length / 2
    return `00${type}${filler.repeat(count)}${zero}${tail}`
  }
  const verify = async (padded: string) => {
    const key = { key: privateKey, padding: constants.RSA_NO_PADDING }
    const signature = privateEncrypt(key, Buffer.from(padded, 'hex')).toString('base64url')
    return verifier.verify(`${signingInput}.${signature}`)
  }

  test('is valid with it', async () => {
    expect(await verify(pad(`${sha256}${digest}`))).toMatchObject({ ok: true })
  })

  test.each([
    ['the parameters of the digest left out', pad(`302f300b0609608648016503040201${'0420'}${digest}`)],
    ['another digest named', pad(`3031300d060960864801650304020305000420${digest}`)],
    ['no digest named', pad(digest)],
    ['something after the digest', `0001${'ff'.repeat(8)}00${sha256}${digest}${'00'.repeat(194)}`],
    ['the long form of a length', pad(`308131300d060960864801650304020105000420${digest}`)],
    ['the padding of encryption', pad(`${sha256}${digest}`, { type: '02' })],
    ['zeros as filling', pad(`${sha256}${digest}`, { type: '00', filler: '00' })],
    ['other bytes as filling', pad(`${sha256}${digest}`, { filler: 'fe' })],
    ['no zero before the digest', pad(`${sha256}${digest}`, { zero: 'ff' })],
  ])('%s', async (_what, padded) => {
    expect(padded).toHaveLength(512)
    expect(await verify(padded)).toEqual({ ok: false, reason: 'signature' })
  })
})
