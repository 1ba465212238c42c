import { setTimeout as wait } from 'node:timers/promises'
import { unknownAttempt as attempt } from '@latchkey/accounts'
import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { JwtError } from '@latchkey/jwt'
import { createPostgresStores } from '@latchkey/sql'
import { useService } from '@latchkey/test-services'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createPostgresDatabase } from './support/create-database.ts'
import { type Issuer, signIn, startIssuer } from './support/issuer.ts'
import { startWeather } from './support/start-weather.ts'

const isLong = process.env.TEST_TIER === '3'
const durationMs = isLong ? 60_000 : 20_000
const secrets: SecretKeys = [{ id: 'a', bytes: randomBytes(32) }]
/** At least the two seconds for which the keys are used elsewhere, the one of the cool-down, and that of the processes. */
const publishAheadSeconds = 4

const postgres = useService('postgres')

async function startProcess(connectionString: string, baseUrl?: string): Promise<Issuer> {
  // The time limit is not what is tested, and a refresh without an answer could cost a worker its tokens.
  const stores = createPostgresStores({ pool: new pg.Pool({ connectionString, max: 4 }), deadlineMs: 20_000 })
  const accessTokens = { algorithm: 'ES256', publishAheadSeconds } as const
  return startIssuer({ stores, secrets, accessTokens, ...(baseUrl !== undefined && { baseUrl }) })
}

/** What becomes of the tokens of everybody. */
interface Tally {
  verified: number
  unavailable: number
  readonly refused: string[]
}

async function show(token: string, url: string, tally: Tally): Promise<void> {
  const isIssuer = url.endsWith('/graphql?query={viewer{id}}')
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  if (response.status === 200) tally.verified++
  else if (response.status === 503) tally.unavailable++
  else tally.refused.push(`${response.status} by the ${isIssuer ? 'issuer' : 'service elsewhere'}`)
}

/** Rotates as soon as that is possible, by one process after another. */
async function rotateUntil(end: number, issuers: readonly Issuer[]): Promise<number> {
  let rotations = 0
  for (let turn = 0; Date.now() < end; turn++) {
    const outcome = await issuers[turn % issuers.length]?.server.rotateKeys().catch((error: unknown) => error)
    if (!(outcome instanceof Error)) rotations++
    else if (!(outcome instanceof JwtError && outcome.code === 'JWT_ROTATION_TOO_EARLY')) throw outcome
    await wait(250)
  }
  return rotations
}

/** Refreshes without pause, by one process after another, and shows new and old tokens everywhere. */
async function useUntil(
  end: number,
  given: { issuers: readonly Issuer[]; weather: string; name: string; tally: Tally },
) {
  const { issuers, weather, name, tally } = given
  const [first] = issuers as [Issuer]
  let { accessToken, refreshToken } = await signIn(first, `${name}@example.com`)
  const tokens = [accessToken]
  for (let turn = 0; Date.now() < end; turn++) {
    const { server, url } = issuers[turn % issuers.length] ?? first
    const result = await (await server.accounts()).refresh({ token: refreshToken, channel: 'native', attempt })
    if (!result.ok) throw new Error('a refresh token was refused')
    ;({ accessToken, refreshToken } = result.credentials)
    tokens.push(accessToken)
    const old = tokens[Math.floor(Math.random() * tokens.length)] ?? accessToken
    for (const token of [accessToken, old]) {
      await show(token, weather, tally)
      await show(token, `${issuers[(turn + 1) % issuers.length]?.url}/graphql?query={viewer{id}}`, tally)
      await show(token, `${url}/graphql?query={viewer{id}}`, tally)
    }
  }
}

test('a token that one process revokes is refused by the others on the next request', async () => {
  const database = await createPostgresDatabase(postgres)
  const one = await startProcess(database)
  const other = await startProcess(database, one.url)
  const { accessToken } = await signIn(one, 'ada@example.com')
  const ask = async () => {
    const headers = { authorization: `Bearer ${accessToken}` }
    return (await fetch(`${other.url}/graphql?query={viewer{id}}`, { headers })).status
  }
  expect(await ask()).toBe(200)
  expect(await one.server.revokeToken(accessToken)).toBe(true)
  expect(await ask()).toBe(401)
})

test(
  `rotations every few seconds under load refuse no live token, here or elsewhere${isLong ? ', for a minute' : ''}`,
  async () => {
    const database = await createPostgresDatabase(postgres)
    const one = await startProcess(database)
    const other = await startProcess(database, one.url)
    const issuers = [one, other]
    const weather = await startWeather({ ISSUER: one.url, KEY_MAX_AGE_SECONDS: '2', KEY_COOLDOWN_SECONDS: '1' })
    const tally: Tally = { verified: 0, unavailable: 0, refused: [] }
    const end = Date.now() + durationMs
    const users = ['ada', 'ben', 'cyd'].map((name) => useUntil(end, { issuers, weather, name, tally }))
    const [rotations] = await Promise.all([rotateUntil(end, issuers), ...users])
    console.log(`${rotations} rotations, ${tally.verified} tokens verified, ${tally.unavailable} without a verdict`)
    expect(tally.refused).toEqual([])
    expect(tally.verified).toBeGreaterThan(100)
    // At least three quarters of what is possible: a busy machine loses some time to each.
    expect(rotations).toBeGreaterThanOrEqual(Math.floor((durationMs / (publishAheadSeconds * 1000)) * 0.75) - 1)
  },
  durationMs + 120_000,
)
