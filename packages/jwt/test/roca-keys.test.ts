import { checkPrimeSync, generateKeyPairSync } from 'node:crypto'
import { createRemoteKeySet, importJwtKey } from '@latchkey/jwt'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { issuer, seconds } from './forge-token.ts'

/**
 * CVE-2017-15361 (M. Nemec et al., “The Return of Coppersmith's Attack”, 2017, §2): a faulty library made its primes as
 * k·M + (65537^a mod M), M being the product of the first primes: 126 of them for keys of 2048 and 3072 bits, 225 for
 * 4096 bits.
 */
const generator = 65_537n

function primesBelow(limit: number): readonly bigint[] {
  const numbers = Array.from({ length: limit - 2 }, (_, index) => index + 2)
  return numbers.filter((one) => numbers.every((other) => other * other > one || one % other !== 0)).map(BigInt)
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, base % modulus]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

const product = (factors: readonly bigint[]) => factors.reduce((all, one) => all * one, 1n)

/** Returns a prime of the faulty library with so many bits, the two highest of them set. */
function createWeakPrime(bits: number, primorial: bigint, seed: bigint): bigint {
  const smallest = 3n << BigInt(bits - 2)
  for (let a = seed; ; a++) {
    const k = smallest / primorial + 1n + (a % 1024n)
    const candidate = k * primorial + power(generator, a, primorial)
    if (checkPrimeSync(candidate)) return candidate
  }
}

function createWeakModulus(bits: number): bigint {
  const primorial = product(primesBelow(1430).slice(0, bits < 3968 ? 126 : 225))
  return createWeakPrime(bits / 2, primorial, 2_345_678n) * createWeakPrime(bits / 2, primorial, 9_876_543n)
}

function toJwk(modulus: bigint) {
  const hex = modulus.toString(16)
  const n = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url')
  return { kty: 'RSA', n, e: 'AQAB' } as const
}

const load = (modulus: bigint, algorithm: 'RS256' | 'PS256' = 'RS256') =>
  importJwtKey({ id: 'key', algorithm, jwk: toJwk(modulus) }).then(
    () => 'accepted',
    (error: { readonly code: string }) => error.code,
  )

/** The primes below 168 of which 65537 does not generate all residues. */
const discriminating = primesBelow(168).filter((prime) => {
  const powers = new Set(Array.from({ length: Number(prime) }, (_, a) => power(generator, BigInt(a), prime)))
  return powers.size < Number(prime) - 1
})
const weak = createWeakModulus(2048)

describe('an RSA key with the fingerprint of CVE-2017-15361', () => {
  test.each([2048, 3072, 4096])('is refused as weak (%d bits)', async (bits) => {
    const modulus = createWeakModulus(bits)
    expect(modulus.toString(2)).toHaveLength(bits)
    expect(await load(modulus)).toBe('JWT_KEY_WEAK')
    expect(await load(modulus, 'PS256')).toBe('JWT_KEY_WEAK')
  })

  test('is refused with its private members too', async () => {
    const primorial = product(primesBelow(1430).slice(0, 126))
    const [p, q] = [createWeakPrime(1024, primorial, 31n), createWeakPrime(1024, primorial, 1_000_031n)]
    const totient = (p - 1n) * (q - 1n)
    const d = invert(generator, totient)
    const members = { d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: invert(q, p) }
    const text = Object.entries(members).map(([name, value]) => [name, toJwk(value).n])
    const jwk = { ...toJwk(p * q), ...Object.fromEntries(text) }
    await expect(importJwtKey({ id: 'key', algorithm: 'RS256', jwk })).rejects.toMatchObject({ code: 'JWT_KEY_WEAK' })
  })

  test('is not taken from a published set, and its neighbours are', async () => {
    const good = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
    const keys = [
      { ...toJwk(weak), kid: 'weak' },
      { ...good, kid: 'good' },
    ]
    const fetch = async () => Response.json({ keys })
    const remote = createRemoteKeySet({ url: `${issuer}/jwks`, fetch, now: () => seconds * 1000 })
    expect(await remote.find({ id: 'weak', algorithm: 'RS256' })).toBeNull()
    expect(await remote.find({ id: 'good', algorithm: 'RS256' })).toMatchObject({ id: 'good' })
  })
})

describe('an RSA key that resembles it', () => {
  test('is recognized by its residues of 17 primes', () => expect(discriminating).toHaveLength(17))

  const primes = discriminating.map((prime) => [Number(prime), prime] as const)
  test.each(primes)('is accepted if its residue modulo %d is no power of 65537', async (_number, prime) => {
    // Another residue of this prime alone: those of the other primes stay as they are.
    const step = 2n * product(primesBelow(168).filter((one) => one !== prime && one !== 2n))
    const powers = new Set(Array.from({ length: Number(prime) }, (_, a) => power(generator, BigInt(a), prime)))
    let modulus = weak
    while (modulus % prime === 0n || powers.has(modulus % prime)) modulus += step
    expect(await load(modulus)).toBe('accepted')
  })

  test('is accepted with any modulus, unless every residue is a power of 65537', async () => {
    const isMarked = (modulus: bigint) =>
      discriminating.every((prime) =>
        Array.from({ length: Number(prime) }, (_, a) => power(generator, BigInt(a), prime)).includes(modulus % prime),
      )
    await fc.assert(
      fc.asyncProperty(fc.bigInt(1n << 2047n, (1n << 2048n) - 1n), async (number) => {
        const modulus = number | 1n
        expect(await load(modulus)).toBe(isMarked(modulus) ? 'JWT_KEY_WEAK' : 'accepted')
      }),
      { numRuns: 50 },
    )
  })
})

/** The inverse of a number, by Euclid. */
function invert(number: bigint, modulus: bigint): bigint {
  let [left, right, x, y] = [modulus, number % modulus, 0n, 1n]
  while (right !== 0n) {
    const quotient = left / right
    ;[left, right, x, y] = [right, left - quotient * right, y, x - quotient * y]
  }
  return ((x % modulus) + modulus) % modulus
}
