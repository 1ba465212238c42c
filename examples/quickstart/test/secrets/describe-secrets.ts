import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inspect } from 'node:util'
import { createPasswordHasher } from '@latchkey/password'
import { findFreePort } from '@latchkey/test-services'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfiguration } from '../../src/configuration.ts'
import { createData } from '../../src/data/open-data.ts'
import { openMailer } from '../../src/mailer.ts'
import { createPublication } from '../../src/start-service.ts'
import { readSaid, recordedStart } from '../support/recorded.ts'
import { patiently, withStores } from '../support/second-factors.ts'
import { type Environment, type Quickstart, startQuickstart, temporaryDirectory } from '../support/start-quickstart.ts'
import { createVisitor, seedPassword } from '../support/visitor.ts'
import { createCanaries } from './canaries.ts'
import { dumpStores } from './dumped-stores.ts'
import { runPageFlows } from './page-flows.ts'
import { besidesDeliveries, recordAnswers } from './recorded-answers.ts'
import { email, passwords, plantedName, runAllFlows } from './secret-flows.ts'

const planted = {
  requestId: 'planted-request-4711',
  host: 'planted-4711.example',
  agent: 'Planted-Agent-4711',
} as const
const seenDeep = { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null } as const

/** A sink into which a secret could get, and what is known to be in it. */
interface Sink {
  readonly name: string
  readonly planted: string
  read(): Promise<string> | string
}

/** The tests of secrets on a publication with these variables: none of what opens something is anywhere but where it must be. */
export function describeSecrets(title: string, environmentOf: () => Promise<Environment | null>): void {
  describe(title, () => {
    const canaries = createCanaries()
    const recorded = recordAnswers(canaries)
    const pepper = randomBytes(32)
    let environment: Environment = {}
    let service: Quickstart
    let dumps: ReadonlyMap<string, string> = new Map()
    let inspected = ''

    beforeAll(async () => {
      const given = await environmentOf()
      if (given === null) return
      const PORT = String(await findFreePort())
      const LATCHKEY_SECRET = given.LATCHKEY_SECRET ?? randomBytes(32).toString('base64url')
      const SAID_FILE = join(await temporaryDirectory(), 'said')
      environment = { ...given, PORT, LATCHKEY_SECRET, SAID_FILE, TRUSTED_PROXIES: '127.0.0.1' }
      canaries.add('the root secret', LATCHKEY_SECRET)
      canaries.add('the pepper', pepper.toString('latin1'))
      service = await startQuickstart(environment, recordedStart)
      const flows = { service, url: `http://127.0.0.1:${PORT}`, publicUrl: environment.PUBLIC_URL ?? '', canaries }
      for (const [name, password] of Object.entries(passwords)) canaries.add(`the ${name} password`, password)
      const all = { ...flows, whileStoresFail: <T>(run: () => Promise<T>) => whileAccountsAreLocked(environment, run) }
      await runPageFlows(all)
      await runAllFlows(all)
      await plant(flows.url)
      dumps = await dumpStores(environment)
      inspected = await patiently(inspectParts)
      await withStores(environment, async ({ accounts }) => {
        canaries.add('the hash of the password', (await patiently(() => accounts.getByEmail(email)))?.passwordHash)
      })
      recorded.stop()
    }, 240_000)
    afterAll(async () => {
      recorded.stop()
      await service?.kill()
    })

    /** What is no secret and gets in: a search that does not find it does not look there. */
    async function plant(url: string): Promise<void> {
      const visitor = createVisitor(url, { isPatient: true })
      await visitor.ask('{ viewer { id } }', {}, { 'x-request-id': planted.requestId })
      // A session that stays open.
      const signIn = 'mutation ($input: SignInInput!) { signIn(input: $input) { status } }'
      const input = { email: 'reader@example.com', password: seedPassword }
      await visitor.ask(signIn, { input }, { 'user-agent': planted.agent })
      await new Promise<void>((resolve, reject) => {
        const sent = request(`${url}/`, { headers: { host: planted.host } }, (response) => {
          response.resume().on('end', resolve)
        })
        sent.on('error', reject).end()
      })
    }

    /** The public objects of a server with these variables, of a hasher with a pepper, and of their stores. */
    async function inspectParts(): Promise<string> {
      const configuration = readConfiguration(environment, environment.DATA_DIR ?? '')
      const data = createData(configuration)
      const mailer = await openMailer(configuration)
      const server = createPublication(configuration, data, { publicUrl: 'http://localhost:4000', port: 4000, mailer })
      const accounts = await server.accounts()
      const hasher = createPasswordHasher({ pepper: [{ id: 'p', bytes: pepper }] })
      await hasher.hash(passwords.first)
      const seen = inspect({ server, accounts, data, hasher, planted: plantedName }, seenDeep)
      await Promise.all([server.close(), hasher.close()])
      return seen
    }

    const said = async (channel: 'event' | 'measurement'): Promise<string> => {
      const lines = (await readSaid(environment.SAID_FILE ?? '')).filter((line) => line.channel === channel)
      return lines.map((line) => JSON.stringify(line.said) + line.seen).join('\n')
    }

    const sinks: readonly Sink[] = [
      { name: 'events and the errors that they hold', planted: planted.requestId, read: () => said('event') },
      { name: 'measurements', planted: planted.requestId, read: () => said('measurement') },
      {
        name: 'what the process prints, besides its mails',
        planted: planted.host,
        read: () => withoutMails(service.output()),
      },
      { name: 'what inspect shows of public objects', planted: plantedName, read: () => inspected },
      {
        name: 'answers, besides what they deliver',
        planted: plantedName,
        read: () => recorded.answers.map(besidesDeliveries).join('\n\n'),
      },
    ]

    test('every kind of secret has occurred', () => {
      expect(canaries.names).toEqual(
        expect.arrayContaining([
          'the root secret',
          'the first password',
          'the link to /app/verify',
          'the link to /app/new-password',
          'the link to /confirm-email-change',
          'the link to /undo-email-change',
          'the cookie __Host-session',
          'the cookie __Host-refresh',
          'the cookie __Host-device',
          'accessToken',
          'refreshToken',
          'csrfToken',
          'challenge',
          'deviceToken',
          'secret',
          'a code of the app',
          'a recovery code',
          'the hash of the password',
        ]),
      )
      expect(canaries.count).toBeGreaterThan(500)
    })

    test.each(sinks.map((sink) => [sink.name, sink] as const))('none is in %s', async (_name, sink) => {
      const text = await sink.read()
      expect(text).toContain(sink.planted)
      expect(canaries.findIn(text)).toEqual([])
      // A secret that were there would be found.
      expect(canaries.findIn(`${text}${Buffer.from(`x${passwords.first}`).toString('base64')}`)).not.toEqual([])
    })

    test('none is in what the stores keep, but the hash of the password', () => {
      const parts = environment.DATABASE_URL === undefined ? ['the files of SQLite'] : ['PostgreSQL']
      expect([...dumps.keys()]).toEqual([...parts, ...(environment.REDIS_URL === undefined ? [] : ['Redis'])])
      for (const [name, text] of dumps) {
        expect(text, name).toContain(name === 'Redis' ? planted.agent : plantedName)
        const found = canaries.findIn(text).filter((one) => !one.startsWith('the hash of the password'))
        expect(found, name).toEqual([])
      }
    })
  })
}

/** A mail delivers its link, and the terminal prints mails. */
function withoutMails(output: string): string {
  return output.replace(/^Mail to .*\n(?:\n| {2}.*\n)*/gm, '')
}

async function whileAccountsAreLocked<T>(environment: Environment, run: () => Promise<T>): Promise<T> {
  const { DATABASE_URL, DATA_DIR = '' } = environment
  if (DATABASE_URL === undefined) {
    const database = new DatabaseSync(join(DATA_DIR, 'publication.db'))
    database.exec('pragma busy_timeout = 10000; begin exclusive')
    const result = await run()
    database.exec('rollback')
    database.close()
    return result
  }
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  await client.query('begin; lock table latchkey_accounts in access exclusive mode')
  const result = await run()
  await client.query('rollback')
  await client.end()
  return result
}
