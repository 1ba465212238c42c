import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { createJwtSigner, createKeyRing, generateJwtKey, importJwtKey } from '@latchkey/jwt'
import { createSqliteStores } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'
import { createWeatherService } from '../src/weather-service.ts'
import { type Issuer, signIn, startIssuer } from './support/issuer.ts'
import { startWeather } from './support/start-weather.ts'

const secrets: SecretKeys = [{ id: 'a', bytes: randomBytes(32) }]
const invalid = [401, 'Bearer error="invalid_token"']

async function newIssuer(algorithm: 'ES256' | 'EdDSA' | 'RS256' | 'HS256' = 'ES256'): Promise<Issuer> {
  const stores = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
  return startIssuer({ stores, secrets, accessTokens: { algorithm } })
}

async function serve(issuer: string): Promise<string> {
  const service = createWeatherService({ issuer, audience: issuer })
  await once(service.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    service.closeAllConnections()
    service.close()
  })
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`
}

async function ask(url: string, token: string | null) {
  const response = await fetch(url, { headers: token === null ? {} : { authorization: `Bearer ${token}` } })
  return { status: response.status, challenge: response.headers.get('www-authenticate'), body: await response.json() }
}
const outcome = async (url: string, token: string | null) => {
  const { status, challenge } = await ask(url, token)
  return [status, challenge]
}

test.each(['ES256', 'EdDSA', 'RS256'] as const)(
  'a token of the issuer is verified by its public keys, also when the issuer is down: %s',
  async (algorithm) => {
    const issuer = await newIssuer(algorithm)
    const weather = await startWeather({ ISSUER: issuer.url })
    const { id, accessToken } = await signIn(issuer, 'ada@example.com', 'AUTHOR')
    expect(await ask(weather, accessToken)).toEqual({
      status: 200,
      challenge: null,
      body: { subject: id, roles: ['AUTHOR'], weather: 'rain' },
    })
    await issuer.close()
    // It has the keys, and needs no issuer for a token.
    expect((await ask(weather, accessToken)).status).toBe(200)
  },
)

test('a token that the issuer has not signed is refused: another key, algorithm or text', async () => {
  const [issuer, stranger, symmetric] = [await newIssuer(), await newIssuer(), await newIssuer('HS256')]
  const weather = await serve(issuer.url)
  const { accessToken } = await signIn(issuer, 'ada@example.com')
  const own = { issuer: issuer.url, audience: issuer.url }
  const signWith = async (key: Awaited<ReturnType<typeof generateJwtKey>>, change = {}) => {
    const signer = createJwtSigner({ ...own, keys: createKeyRing({ keys: [key] }), ...change })
    return (await signer.sign({ sub: 'acc_1' })).token
  }
  const kid = JSON.parse(Buffer.from(accessToken.split('.')[0] ?? '', 'base64url').toString()).kid
  const bytes = randomBytes(32)
  const refused = {
    'a changed token': accessToken.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
    'without its signature': `${accessToken.split('.').slice(0, 2).join('.')}.`,
    'of another issuer': (await signIn(stranger, 'eve@example.com')).accessToken,
    'of an issuer with symmetric keys': (await signIn(symmetric, 'eve@example.com')).accessToken,
    'of a key that the issuer does not have': await signWith(await generateJwtKey('ES256')),
    'of a symmetric key under the id of a public one': await signWith(
      await importJwtKey({ id: kid, algorithm: 'HS256', bytes }),
    ),
    'a text': 'no.token.here',
  }
  for (const [what, token] of Object.entries(refused))
    expect([what, await outcome(weather, token)]).toEqual([what, invalid])
  expect(await outcome(weather, null)).toEqual([401, 'Bearer'])
  expect((await ask(weather, accessToken)).status).toBe(200)
})

test('a token for another audience is refused', async () => {
  const issuer = await newIssuer()
  const service = createWeatherService({ issuer: issuer.url, audience: 'https://other.example' })
  await once(service.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void service.close())
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  expect(await outcome(url, (await signIn(issuer, 'ada@example.com')).accessToken)).toEqual(invalid)
})

test('a valid token is answered with 503 while the keys cannot be fetched', async () => {
  const issuer = await newIssuer()
  const { accessToken } = await signIn(issuer, 'ada@example.com')
  await issuer.close()
  expect((await ask(await serve(issuer.url), accessToken)).status).toBe(503)
})
