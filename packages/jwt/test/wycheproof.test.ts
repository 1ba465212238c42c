import { constants, createHash, generateKeyPairSync, privateEncrypt, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { acceptAnyAudience, createJwtVerifier, importJwtKey, type JwtKey } from '@latchkey/jwt'
import { describe, expect, test } from 'vitest'
import { audience, claims, encode, issuer, now } from './forge-token.ts'

interface Group {
  readonly comment: string
  readonly jwk: Readonly<Record<string, never>>
  readonly tests: readonly { readonly id: number; readonly comment: string; readonly jws: string }[]
}

const file = new URL('fixtures/wycheproof-jws.json', import.meta.url)
const { groups }: { readonly groups: readonly Group[] } = JSON.parse(readFileSync(file, 'utf8'))
const algorithms = ['HS256', 'RS256', 'PS256', 'ES256', 'EdDSA'] as const

/** The keys that one key of a vector can be taken for. None of them signs: what a ring begins with is left out. */
async function keysOf({ jwk }: Group): Promise<readonly JwtKey[]> {
  const imports = algorithms.map((algorithm) => {
    const material = algorithm === 'HS256' ? { bytes: Buffer.from(jwk.k ?? '', 'base64url') } : { jwk }
    return importJwtKey({ id: algorithm, algorithm, ...material } as Parameters<typeof importJwtKey>[0])
  })
  const outcomes = await Promise.allSettled(imports)
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}

describe('the vectors of Project Wycheproof for JSON Web Signatures', () => {
  test('are complete', () => {
    expect(groups.flatMap(({ tests }) => tests)).toHaveLength(401)
  })

  // Even the valid ones are refused, because they have no `typ`.
  test.each(groups)(
    'have no accepted token with the key of $comment ($jwk.alg), and a verdict for each',
    async (group) => {
      for (const key of await keysOf(group)) {
        const keys = { find: async () => key }
        const options = { issuer, audience: acceptAnyAudience, algorithms, keys, now } as const
        const verifier = createJwtVerifier(options)
        for (const { id, comment, jws } of group.tests) {
          expect(await verifier.verify(jws), `${id} ${comment}`).toMatchObject({ ok: false })
        }
      }
    },
  )

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

describe('a signature of RS256 whose padding is not that of RFC 8017 §9.2', async () => {
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
