import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createJwtSigner, createJwtVerifier, createKeyRing, importJwtKey, type JwtKey } from '@latchkey/jwt'
import { createSigner, createVerifier } from 'fast-jwt'
import { importPKCS8, importSPKI, jwtVerify, SignJWT } from 'jose'
import jsonwebtoken from 'jsonwebtoken'
import type { PartReport, PartRun } from '../part.ts'
import { chartOfRounds, measureRounds, type Rounds } from '../rounds.ts'
import { median, medianRatio } from '../statistics.ts'
import { formatNumber, formatRatio, type Table } from '../table.ts'
import { microsecondsPer } from '../time-calls.ts'

const issuer = 'https://id.example.com'
const audience = 'https://api.example.com'
const secret = randomBytes(32)
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = {
  private: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  public: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
}
const lifetimeSeconds = 900
/** More tokens than any cache here holds, so that no token of a cycle is still cached. */
const tokenCount = 12_000

type Way = () => unknown
type Ways = Readonly<Record<string, Way>>

/** Microseconds for one token of an account with a role and a session: signed, and verified by a public key. */
export async function measureJwtSign(run: PartRun): Promise<PartReport> {
  const key = await importJwtKey({ id: '2026-01', algorithm: 'HS256', bytes: secret })
  const curve = await importJwtKey({
    id: '2026-02',
    algorithm: 'ES256',
    jwk: pair.privateKey.export({ format: 'jwk' }),
  })
  const tables: Table[] = []
  const figures: Record<string, Rounds<number>> = {}
  for (const [title, ways] of [
    ['HS256: a token is signed', signingWays('HS256', key, secret, secret)],
    ['ES256: a token is signed', signingWays('ES256', curve, pem.private, await importPKCS8(pem.private, 'ES256'))],
    ['ES256: a token is verified, at first sight', await verifyingWays(curve)],
  ] as const) {
    figures[title] = await measureWays(run, title, ways)
    tables.push(tableOf(title, figures[title]))
  }
  return { tables, targets: [], figures }
}

async function measureWays(run: PartRun, title: string, ways: Ways): Promise<Rounds<number>> {
  for (const [name, way] of Object.entries(ways)) {
    run.progress(`${title}: warming up ${name}`)
    await microsecondsPer(way, 0.5)
  }
  return measureRounds(run, Object.keys(ways), (name) => microsecondsPer(ways[name], run.seconds))
}

function tableOf(title: string, figures: Rounds<number>): Table {
  const rows = Object.entries(figures).map(([name, rounds]) => [
    name,
    formatNumber(median(rounds)),
    formatRatio(medianRatio(rounds, figures.latchkey)),
  ])
  return { title, head: ['way', 'µs', 'of latchkey'], rows, chart: chartOfRounds('µs for a token', figures) }
}

const claimsOf = (index: number) => ({ sub: `acc_${index}`, role: 'EDITOR', sid: 'ses_0123456789abcdef', epoch: 3 })

function signingWays(
  algorithm: 'HS256' | 'ES256',
  key: JwtKey,
  material: Buffer | string,
  joseKey: Parameters<SignJWT['sign']>[0],
): Ways {
  const signer = createJwtSigner({
    issuer,
    audience,
    keys: createKeyRing({ keys: [key] }),
    ttlSeconds: lifetimeSeconds,
  })
  const expiresIn = lifetimeSeconds * 1000
  const fast = createSigner({ key: material, algorithm, kid: key.id, iss: issuer, aud: audience, expiresIn })
  const options = { algorithm, keyid: key.id, issuer, audience, expiresIn: lifetimeSeconds }
  let index = 0
  return {
    latchkey: () => signer.sign(claimsOf(index++)),
    jose: () =>
      new SignJWT(claimsOf(index++))
        .setProtectedHeader({ alg: algorithm, kid: key.id, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(`${lifetimeSeconds}s`)
        .sign(joseKey),
    'fast-jwt': () => fast(claimsOf(index++)),
    jsonwebtoken: () => jsonwebtoken.sign(claimsOf(index++), material, options),
  }
}

async function verifyingWays(key: JwtKey): Promise<Ways> {
  const keys = createKeyRing({ keys: [key] })
  const signer = createJwtSigner({ issuer, audience, keys, ttlSeconds: lifetimeSeconds })
  const signOne = async (_none: unknown, index: number) => (await signer.sign(claimsOf(index))).token
  const tokens = await Promise.all(Array.from({ length: tokenCount }, signOne))
  const verifier = createJwtVerifier({ issuer, audience, algorithms: ['ES256'], keys })
  const joseKey = await importSPKI(pem.public, 'ES256')
  const fast = createVerifier({ key: pem.public, algorithms: ['ES256'], allowedIss: issuer, allowedAud: audience })
  const over = (verify: (token: string) => unknown): Way => {
    let next = 0
    return () => verify(tokens[next++ % tokens.length] ?? '')
  }
  return {
    latchkey: over(async (token) => {
      if (!(await verifier.verify(token)).ok) throw new Error('a good token was refused')
    }),
    jose: over((token) => jwtVerify(token, joseKey, { issuer, audience, algorithms: ['ES256'], typ: 'JWT' })),
    'fast-jwt': over(fast),
    jsonwebtoken: over((token) => jsonwebtoken.verify(token, pem.public, { issuer, audience, algorithms: ['ES256'] })),
  }
}
