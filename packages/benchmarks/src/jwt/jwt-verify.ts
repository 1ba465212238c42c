import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import { createJwtSigner, createJwtVerifier, createKeyRing, importJwtKey } from '@latchkey/jwt'
import { createVerifier } from 'fast-jwt'
import { jwtVerify } from 'jose'
import { atMost, type PartReport, type PartRun } from '../part.ts'
import { chartOfRounds, measureRounds, peersOf } from '../rounds.ts'
import { median, medianRatio } from '../statistics.ts'
import { formatNumber, formatRatio } from '../table.ts'
import { microsecondsPer } from '../time-calls.ts'

const issuer = 'https://id.example.com'
const audience = 'https://api.example.com'
const secret = randomBytes(32)
/** More tokens than any cache here holds, so that no token of a cycle is still cached. */
const tokenCount = 25_000
const overlapped = 32

type Way = () => unknown

/** Microseconds for one HS256 token of an account with a role and a session, issuer, audience and times checked. */
export async function measureJwtVerify(run: PartRun): Promise<PartReport> {
  const tokens = await makeTokens()
  const ways = await prepareWays(tokens)
  for (const [name, way] of Object.entries(ways)) {
    run.progress(`warming up ${name}`)
    await microsecondsPer(way, 0.5)
  }
  const figures = await measureRounds(run, Object.keys(ways), async (name) => {
    const perCall = await microsecondsPer(ways[name], run.seconds)
    return name.includes('at once') ? perCall / overlapped : perCall
  })
  const rows = Object.entries(figures).map(([name, rounds]) => [
    name,
    formatNumber(median(rounds)),
    formatRatio(medianRatio(rounds, figures['latchkey, first sight'])),
  ])
  const of = (name: string): number => median(figures[name] ?? [])
  return {
    tables: [
      {
        title: 'One token',
        head: ['way', 'µs', 'of latchkey, first sight'],
        rows,
        chart: chartOfRounds('µs for a token', figures),
      },
    ],
    targets: [
      atMost(6, 'µs', 'latchkey, first sight', of('latchkey, first sight'), peersOf(figures, atFirstSight)),
      atMost(1, 'µs', 'latchkey, seen again', of('latchkey, seen again'), peersOf(figures, ['fast-jwt, seen again'])),
    ],
    figures,
  }
}

const atFirstSight = ['jose, one after another', 'jose, 32 at once', 'fast-jwt']

async function makeTokens(): Promise<string[]> {
  const key = await importJwtKey({ id: '2026-01', algorithm: 'HS256', bytes: secret })
  const signer = createJwtSigner({ issuer, audience, keys: createKeyRing({ keys: [key] }) })
  const claims = { role: 'EDITOR', sid: 'ses_0123456789abcdef', epoch: 3 }
  const signOne = async (_none: unknown, index: number) => (await signer.sign({ sub: `acc_${index}`, ...claims })).token
  return Promise.all(Array.from({ length: tokenCount }, signOne))
}

async function prepareWays(tokens: readonly string[]): Promise<Record<string, Way>> {
  const key = await importJwtKey({ id: '2026-01', algorithm: 'HS256', bytes: secret })
  const keys = createKeyRing({ keys: [key] })
  const verifier = createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys })
  const jose = (token: string) =>
    jwtVerify(token, secret, { issuer, audience, algorithms: ['HS256'], typ: 'JWT', maxTokenAge: 900 })
  const fast = createVerifier({ key: secret, algorithms: ['HS256'], allowedIss: issuer, allowedAud: audience })
  const fastCached = createVerifier({
    key: secret,
    algorithms: ['HS256'],
    allowedIss: issuer,
    allowedAud: audience,
    cache: true,
  })
  const [seen = ''] = tokens
  return {
    'latchkey, first sight': over(tokens, (token) => check(verifier.verify(token))),
    'latchkey, seen again': () => verifier.verify(seen),
    'jose, one after another': over(tokens, jose),
    'jose, 32 at once': () => Promise.all(tokens.slice(0, overlapped).map(jose)),
    'fast-jwt': over(tokens, fast),
    'fast-jwt, seen again': () => fastCached(seen),
    'least code, first sight': over(tokens, leastCode()),
  }
}

/** Goes round the tokens, one for each call. */
function over(tokens: readonly string[], verify: (token: string) => unknown): Way {
  let next = 0
  return () => verify(tokens[next++ % tokens.length] ?? '')
}

async function check(verdict: Promise<{ ok: boolean }>): Promise<void> {
  if (!(await verdict).ok) throw new Error('a good token was refused')
}

/** Returns the minimum of a correct check: one HMAC, one comparison in constant time, one parse, the claims. */
function leastCode(): (token: string) => object {
  const key = createSecretKey(secret)
  return (token) => {
    const dot = token.lastIndexOf('.')
    const signature = Buffer.from(token.slice(dot + 1), 'base64url')
    const expected = createHmac('sha256', key).update(token.slice(0, dot)).digest()
    if (signature.length !== 32 || !timingSafeEqual(signature, expected)) throw new Error('refused')
    const payload = Buffer.from(token.slice(token.indexOf('.') + 1, dot), 'base64url')
    const claims = JSON.parse(payload.toString())
    const now = Date.now() / 1000
    if (claims.iss !== issuer || claims.aud !== audience || claims.exp < now || claims.iat > now + 5) {
      throw new Error('refused')
    }
    return claims
  }
}
