import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type Configuration, readConfiguration } from '../src/configuration.ts'
import { failToStart, nodeStart, npmStart, startQuickstart, temporaryDirectory } from './support/start-quickstart.ts'

const aFile = fileURLToPath(import.meta.url)

const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://publication.example' }

describe('the configuration', () => {
  test('has defaults for everything', () => {
    expect(readConfiguration({}, '/data')).toEqual<Configuration>({
      host: '127.0.0.1',
      port: 4000,
      dataDirectory: '/data',
      publicUrl: null,
      allowedOrigins: [],
      corsOrigins: [],
      corsAllowedHeaders: [],
      corsExposedHeaders: [],
      allowedHosts: [],
      trustedProxies: [],
      databaseUrl: null,
      directDatabaseUrl: null,
      redisUrl: null,
      mailDirectory: null,
      smtp: null,
      breachedPasswords: null,
      secret: null,
      plainHttpCookies: false,
      accessTokenAlgorithm: 'HS256',
      metadataClients: 'any',
      clientTokenAlgorithm: 'ES256',
      apiKeyLimit: 600,
      production: false,
    })
  })

  test.each([
    ['PORT', { PORT: 'http' }],
    ['PORT', { PORT: '65536' }],
    ['PORT', { PORT: '-1' }],
    ['PORT', { PORT: '4e3' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'publication.example' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'http://publication.example' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://publication.example/path' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://user@publication.example' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'ftp://publication.example' }],
    ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'publication.example' }],
    ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'https://publication.example/' }],
    ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'http://publication.example' }],
    ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'https://a.example https://b.example' }],
    ['ALLOWED_ORIGINS', { ...production, ALLOWED_ORIGINS: 'http://localhost:4000' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: '*' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'null' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'app.example' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://app.example/' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'http://app.example' }],
    ['CORS_ORIGINS', { ...production, CORS_ORIGINS: 'http://localhost:5000' }],
    ['CORS_ALLOWED_HEADERS', { CORS_ALLOWED_HEADERS: 'x-fine,*' }],
    ['CORS_ALLOWED_HEADERS', { CORS_ALLOWED_HEADERS: 'x-forwarded-for' }],
    ['CORS_EXPOSED_HEADERS', { CORS_EXPOSED_HEADERS: 'ETag Date' }],
    ['CORS_EXPOSED_HEADERS', { CORS_EXPOSED_HEADERS: 'set-cookie' }],
    ['ALLOWED_HOSTS', { ALLOWED_HOSTS: 'https://publication.example' }],
    ['ALLOWED_HOSTS', { ALLOWED_HOSTS: '*.publication.example' }],
    ['ALLOWED_HOSTS', { ALLOWED_HOSTS: 'a.example b.example' }],
    ['ALLOWED_HOSTS', { ALLOWED_HOSTS: 'a.example:http' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: 'loopback' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.0/33' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '127.0.0.1;10.0.0.1' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '127.0.0.1:4000' }],
    ['COOKIES', { COOKIES: 'weak' }],
    ['COOKIES', { COOKIES: 'plain-http', PUBLIC_URL: 'https://publication.example' }],
    ['COOKIES', { COOKIES: 'plain-http', ALLOWED_ORIGINS: 'https://publication.example' }],
    ['COOKIES', { COOKIES: 'plain-http', ALLOWED_HOSTS: '10.0.0.5:4000' }],
    ['ACCESS_TOKEN_ALGORITHM', { ACCESS_TOKEN_ALGORITHM: 'none' }],
    ['ACCESS_TOKEN_ALGORITHM', { ACCESS_TOKEN_ALGORITHM: 'es256' }],
    ...['all', 'https://app.example.com', 'app.example.com/', 'APP.example.com', '*', ','].map(
      (text): [string, Record<string, string>] => ['METADATA_CLIENTS', { METADATA_CLIENTS: text }],
    ),
    ['CLIENT_TOKEN_ALGORITHM', { CLIENT_TOKEN_ALGORITHM: 'HS256' }],
    ['CLIENT_TOKEN_ALGORITHM', { CLIENT_TOKEN_ALGORITHM: 'es256' }],
    ['NODE_ENV', { NODE_ENV: 'Production' }],
    ['NODE_ENV', { NODE_ENV: 'prod' }],
    ['NODE_ENV', { NODE_ENV: 'production ' }],
    ['NODE_ENV', { NODE_ENV: 'staging' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://127.0.0.1/x' }],
    ['DATABASE_URL', { DATABASE_URL: 'x' }],
    ['DATABASE_DIRECT_URL', { DATABASE_URL: 'postgres://127.0.0.1/x', DATABASE_DIRECT_URL: 'x' }],
    ['DATABASE_DIRECT_URL', { DATABASE_DIRECT_URL: 'postgres://127.0.0.1/x' }],
    ['REDIS_URL', { REDIS_URL: 'http://127.0.0.1' }],
    ['SMTP_URL', { SMTP_URL: 'mail.example.com', MAIL_FROM: 'no-reply@example.com' }],
    ['SMTP_URL', { SMTP_URL: 'https://mail.example.com', MAIL_FROM: 'no-reply@example.com' }],
    ['BREACHED_PASSWORDS', { BREACHED_PASSWORDS: 'on' }],
    ['BREACHED_PASSWORDS', { BREACHED_PASSWORDS: 'toString' }],
    ['BREACHED_PASSWORDS_URL', { BREACHED_PASSWORDS: 'open', BREACHED_PASSWORDS_URL: 'http://ranges.example/' }],
    ['BREACHED_PASSWORDS_URL', { BREACHED_PASSWORDS: 'closed', BREACHED_PASSWORDS_URL: 'ranges.example' }],
    ['MAIL_FROM', { SMTP_URL: 'smtps://mail.example.com' }],
    ['LATCHKEY_SECRET', { DATABASE_URL: 'postgres://127.0.0.1/x', PUBLIC_URL: 'http://127.0.0.1:4000' }],
    ['PUBLIC_URL', { DATABASE_URL: 'postgres://127.0.0.1/x', LATCHKEY_SECRET: 'x'.repeat(43) }],
    ['PUBLIC_URL', { NODE_ENV: 'production' }],
    ['PUBLIC_URL', { NODE_ENV: 'production', PUBLIC_URL: 'http://127.0.0.1:4000' }],
    ['COOKIES', { ...production, COOKIES: 'plain-http' }],
  ])('names %s when it is wrong: %j', (name, environment) => {
    expect(() => readConfiguration(environment, '/data')).toThrow(name)
  })
})

test('lists are separated by commas, with or without spaces, and may end with one', () => {
  const environment = {
    ALLOWED_ORIGINS: 'https://a.example, https://b.example:8443,http://localhost:5000',
    CORS_ORIGINS: 'https://app.example ,http://localhost:5000,',
    CORS_ALLOWED_HEADERS: 'x-datadog-trace-id, x-datadog-origin',
    CORS_EXPOSED_HEADERS: 'ETag',
    ALLOWED_HOSTS: 'inner.example,10.0.0.5:4000 , [::1]:4000,',
    TRUSTED_PROXIES: '127.0.0.1, ::1,10.0.0.0/8',
  }
  expect(readConfiguration(environment, '/data')).toMatchObject({
    allowedOrigins: ['https://a.example', 'https://b.example:8443', 'http://localhost:5000'],
    corsOrigins: ['https://app.example', 'http://localhost:5000'],
    corsAllowedHeaders: ['x-datadog-trace-id', 'x-datadog-origin'],
    corsExposedHeaders: ['ETag'],
    allowedHosts: ['inner.example', '10.0.0.5:4000', '[::1]:4000'],
    trustedProxies: ['127.0.0.1', '::1', '10.0.0.0/8'],
  })
})

test('BREACHED_PASSWORDS decides on passwords while the breach service fails, and BREACHED_PASSWORDS_URL sets its address', () => {
  const url = 'https://ranges.example/range/'
  const read = (environment: Readonly<Record<string, string>>) =>
    readConfiguration(environment, '/data').breachedPasswords
  expect(read({ BREACHED_PASSWORDS: 'off', BREACHED_PASSWORDS_URL: url })).toBeNull()
  expect(read({ BREACHED_PASSWORDS: 'open' })).toEqual({ whenUnavailable: 'accept' })
  expect(read({ BREACHED_PASSWORDS: 'closed', BREACHED_PASSWORDS_URL: url })).toEqual({
    whenUnavailable: 'refuse',
    url,
  })
})

test.each(['http://127.0.0.1:4000', 'http://localhost:4000', 'http://[::1]:4000'])(
  'COOKIES=plain-http is for %s',
  (PUBLIC_URL) => {
    expect(readConfiguration({ COOKIES: 'plain-http', PUBLIC_URL }, '/data').plainHttpCookies).toBe(true)
  },
)

describe('a start that cannot be', () => {
  test.each([
    ['a wrong port', { PORT: 'http' }, 'PORT must be'],
    ['a short secret', { LATCHKEY_SECRET: 'short' }, 'LATCHKEY_SECRET must have at least 32'],
    [
      'weak cookies elsewhere',
      { COOKIES: 'plain-http', PUBLIC_URL: 'https://example.com' },
      'COOKIES=plain-http is for',
    ],
    ['a proxy that is none', { TRUSTED_PROXIES: 'localhost' }, 'TRUSTED_PROXIES must be'],
    ['an address of another machine', { HOST: '192.0.2.1' }, 'HOST must be an address of this machine'],
    ['no mail server in production', production, 'NODE_ENV=production needs SMTP_URL'],
    ['http in production', { NODE_ENV: 'production' }, 'needs PUBLIC_URL with https'],
    [
      'a mail server with a query',
      { SMTP_URL: 'smtps://user:word@mail.example.com?secure=false', MAIL_FROM: 'a@example.com' },
      'SMTP_URL must be an address like',
    ],
    ['a sender that is none', { SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'Example' }, 'MAIL_FROM must be'],
    ['a data directory that is a file', { DATA_DIR: aFile }, 'DATA_DIR must name a directory, and is a file.'],
    ['one below a file', { DATA_DIR: `${aFile}/data` }, 'DATA_DIR must name a directory, and is below a file.'],
  ])('an impossible start exits with code 1 and a sentence: %s', async (_what, environment, sentence) => {
    const { code, output } = await failToStart(environment)
    expect(code).toBe(1)
    expect(output).toContain(sentence)
    expect(output).not.toMatch(/^ +at /m)
  })

  test('npm start exits with the same code', async () => {
    expect(await failToStart({ PORT: 'http' }, npmStart)).toMatchObject({
      code: 1,
      output: expect.stringContaining('PORT must be'),
    })
  })

  test('production refuses the accounts of the example while their password works', async () => {
    const directory = await temporaryDirectory()
    const service = await startQuickstart({ DATA_DIR: directory }, nodeStart)
    expect(await service.stop()).toBe(0)
    const { code, output } = await failToStart({ ...production, DATA_DIR: directory, MAIL_DIR: directory })
    expect([code, output]).toEqual([1, expect.stringContaining('public password of the example')])
  })
})

test.each([
  [{}, 'any'],
  [{ METADATA_CLIENTS: 'off' }, null],
  [{ METADATA_CLIENTS: 'app.example.com, *.example.org,' }, ['app.example.com', '*.example.org']],
  [{ NODE_ENV: 'production', PUBLIC_URL: 'https://id.example.com' }, null],
  [{ NODE_ENV: 'production', PUBLIC_URL: 'https://id.example.com', METADATA_CLIENTS: 'any' }, 'any'],
])('the settings %o admit unregistered clients of %o', (environment, expected) => {
  expect(readConfiguration(environment, '/data').metadataClients).toEqual(expected)
})
