import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type Configuration, readConfiguration } from '../src/configuration.ts'
import { failToStart, nodeStart, npmStart, startQuickstart, temporaryDirectory } from './support/start-quickstart.ts'

const aFile = fileURLToPath(import.meta.url)

const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://publication.example' }

describe('the configuration', () => {
  test('has defaults for everything', () => {
    expect(readConfiguration({}, '/data')).toEqual<Configuration>({
      port: 4000,
      dataDirectory: '/data',
      publicUrl: null,
      databaseUrl: null,
      redisUrl: null,
      mailDirectory: null,
      secret: null,
      plainHttpCookies: false,
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
    ['COOKIES', { COOKIES: 'weak' }],
    ['NODE_ENV', { NODE_ENV: 'Production' }],
    ['NODE_ENV', { NODE_ENV: 'prod' }],
    ['NODE_ENV', { NODE_ENV: 'production ' }],
    ['NODE_ENV', { NODE_ENV: 'staging' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://127.0.0.1/x' }],
    ['DATABASE_URL', { DATABASE_URL: 'x' }],
    ['REDIS_URL', { REDIS_URL: 'http://127.0.0.1' }],
    ['LATCHKEY_SECRET', { DATABASE_URL: 'postgres://127.0.0.1/x', PUBLIC_URL: 'http://127.0.0.1:4000' }],
    ['PUBLIC_URL', { DATABASE_URL: 'postgres://127.0.0.1/x', LATCHKEY_SECRET: 'x'.repeat(43) }],
    ['PUBLIC_URL', { NODE_ENV: 'production' }],
    ['PUBLIC_URL', { NODE_ENV: 'production', PUBLIC_URL: 'http://127.0.0.1:4000' }],
    ['COOKIES', { ...production, COOKIES: 'plain-http' }],
  ])('names %s when it is wrong: %j', (name, environment) => {
    expect(() => readConfiguration(environment, '/data')).toThrow(name)
  })
})

describe('a start that cannot be', () => {
  test.each([
    ['a wrong port', { PORT: 'http' }, 'PORT must be'],
    ['a short secret', { LATCHKEY_SECRET: 'short' }, 'LATCHKEY_SECRET must have at least 32'],
    ['http in production', { NODE_ENV: 'production' }, 'needs PUBLIC_URL with https'],
    ['a data directory that is a file', { DATA_DIR: aFile }, 'DATA_DIR must name a directory, and is a file.'],
    ['one below a file', { DATA_DIR: `${aFile}/data` }, 'DATA_DIR must name a directory, and is below a file.'],
  ])('ends with exit code 1 and one sentence: %s', async (_what, environment, sentence) => {
    const { code, output } = await failToStart(environment)
    expect(code).toBe(1)
    expect(output).toContain(sentence)
    expect(output).not.toMatch(/^ +at /m)
  })

  test('is told apart by the exit code of npm start, too', async () => {
    expect(await failToStart({ PORT: 'http' }, npmStart)).toMatchObject({
      code: 1,
      output: expect.stringContaining('PORT must be'),
    })
  })

  test('production refuses the accounts of the example while their password works', async () => {
    const directory = await temporaryDirectory()
    const service = await startQuickstart({ DATA_DIR: directory }, nodeStart)
    expect(await service.stop()).toBe(0)
    const { code, output } = await failToStart({ ...production, DATA_DIR: directory })
    expect([code, output]).toEqual([1, expect.stringContaining('public password of the example')])
  })
})
