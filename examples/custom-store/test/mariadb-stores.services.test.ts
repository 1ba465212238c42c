import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describeAccountStore } from '@latchkey/accounts/testing'
import {
  describeAuditStore,
  describeCounterStore,
  describeDocumentStore,
  describeRecordStore,
  type TestRunner,
} from '@latchkey/store/testing'
import { startMariadb } from '@latchkey/test-services'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { MariadbOptions } from '../src/mariadb-client.ts'
import { createMariadbStores, type MariadbStores } from '../src/mariadb-stores.ts'
import { mariadbDocumentMutants } from './mariadb-document-mutants.ts'
import { type MariadbMutant, mariadbCounterMutants, mariadbMutants } from './mariadb-mutants.ts'

const server = await startMariadb()
const url = server?.url ?? ''
const deadlineMs = 2000
const optional = ['reservations', 'identities'] as const
afterAll(() => server?.stop())
beforeEach(({ skip }) => skip(server === null, 'MariaDB is not installed'))

/** The factory of the stores: that of the sources, or that of a mutant. */
type Create = (options: MariadbOptions) => MariadbStores
interface KitTest {
  readonly title: string
  readonly body: () => Promise<void>
}

/** Creates a database of its own with the tables in it, and returns its URL. */
async function createDatabase(name: string, create: Create): Promise<string> {
  const connection = await mysql.createConnection({ uri: url })
  await connection.query(`create database ${name}`)
  await connection.end()
  const database = url.replace('/latchkey', `/${name}`)
  const stores = create({ url: database, deadlineMs })
  await stores.migrate()
  await stores.close()
  return database
}

/** Strict as connections are by default: what does not fit is an error and not cut. */
async function setVersion(database: string, key: string, version: number): Promise<void> {
  const connection = await mysql.createConnection({ uri: database })
  await connection
    .query('update latchkey_records set version = ? where record_key = ?', [version, key])
    .finally(() => connection.end())
}

type Lazy = () => string

/** Passes the tests of the kits on that database to a runner. */
function describeKits(runner: TestRunner, create: Create, database: Lazy): void {
  const opened: MariadbStores[] = []
  const open = (options: Partial<MariadbOptions> = {}) => {
    const stores = create({ url: database(), deadlineMs, ...options })
    opened.push(stores)
    return stores
  }
  runner.afterAll?.(async () => void (await Promise.all(opened.map((stores) => stores.close()))))
  const kitOf = <Name extends keyof MariadbStores>(name: Name) => ({
    ...runner,
    createStore: () => open()[name],
    unreachable: () => open({ url: 'mysql://root@127.0.0.1:1/latchkey' })[name],
    freeze: () => server?.pause(),
    thaw: () => server?.resume(),
    deadlineMs,
  })
  describeRecordStore({
    ...kitOf('records'),
    createStoreAt: (now) => open({ now }).records,
    setVersion: (key, version) => setVersion(database(), key, version),
  })
  describeCounterStore(kitOf('counters'))
  describeDocumentStore(kitOf('documents'))
  describeAccountStore({ ...kitOf('accounts'), optional })
  describeAuditStore(kitOf('audit'))
}

describe('the stores on MariaDB', () => {
  let database = ''
  beforeAll(async () => {
    if (server) database = await createDatabase('kit', createMariadbStores)
  })
  describeKits({ describe, test, afterAll }, createMariadbStores, () => database)

  describe('on a clock of their own', () => {
    let time = Date.UTC(2026, 0, 1)
    const now = () => time
    const wait = async (milliseconds: number) => {
      time += milliseconds
    }
    const opened: MariadbStores[] = []
    const open = () => {
      const stores = createMariadbStores({ url: database, deadlineMs, now })
      opened.push(stores)
      return stores
    }
    afterAll(async () => void (await Promise.all(opened.map((stores) => stores.close()))))
    const kit = { describe, test, now, wait }
    describeCounterStore({ ...kit, createStore: () => open().counters })
    describeAccountStore({ ...kit, createStore: () => open().accounts, optional })
  })

  test('go by the clock of the server from the first call on', async () => {
    const record = { key: 'kit_clock', owner: null, expiresAt: Date.now() + 5 * 60_000, value: '{}' }
    const right = createMariadbStores({ url: database, deadlineMs })
    await right.records.insert(record)
    const { now } = Date
    Date.now = () => now() + 10 * 60_000
    const ahead = createMariadbStores({ url: database, deadlineMs })
    Date.now = now
    onTestFinished(async () => void (await Promise.all([right.close(), ahead.close()])))
    expect(await ahead.records.get(record.key)).toMatchObject(record)
  })
})

// Replaces text of the sources: in the third tier.
const describeLong = process.env.TEST_TIER === '3' ? describe : () => {}
describeLong('the kits find each mistake in the stores on MariaDB, in the long mode', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-mutants-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const mutants = [
    ...mariadbMutants.map((mutant) => ({ ...mutant, kit: 'record store' })),
    ...mariadbCounterMutants.map((mutant) => ({ ...mutant, kit: 'counter store' })),
    ...mariadbDocumentMutants.map((mutant) => ({ ...mutant, kit: 'document store' })),
  ]

  test.each(mutants.map((mutant, index) => ({ ...mutant, index })))(
    '$kit: $mistake',
    async ({ kit, index, patches, fails }) => {
      const create = await loadMutant(folder, index, { kit, patches })
      const database = await createDatabase(`mutant_${index}`, create)
      const { body, close } = findTest(`${kit}: ${fails}`, create, database)
      onTestFinished(close)
      await expect(body()).rejects.toThrow()
    },
  )

  test('these tests pass on the stores without mistakes', async () => {
    const database = await createDatabase('sound', createMariadbStores)
    for (const title of new Set(mutants.map(({ kit, fails }) => `${kit}: ${fails}`))) {
      const { body, close } = findTest(title, createMariadbStores, database)
      await body().finally(close)
    }
  })
})

/** Returns the one test with this title, after that of its kit, on those stores. */
function findTest(title: string, create: Create, database: string): KitTest & { close(): Promise<void> } {
  const tests: KitTest[] = []
  const ends: (() => Promise<void>)[] = []
  let kit = ''
  const runner: TestRunner = {
    describe: (name, body) => {
      if (name.endsWith('store')) kit = name
      body()
    },
    test: (name, body) => tests.push({ title: `${kit}: ${name}`, body }),
    afterAll: (body) => ends.push(body),
  }
  describeKits(runner, create, () => database)
  const found = tests.find((one) => one.title === title)
  if (!found) throw new Error(`the kits have no test "${title}"`)
  return { ...found, close: async () => void (await Promise.all(ends.map((end) => end()))) }
}

/** Loads the stores with these texts replaced, each of which is there once in the source of the kit's store or the client. */
async function loadMutant(
  folder: string,
  index: number,
  { kit, patches }: { readonly kit: string } & Pick<MariadbMutant, 'patches'>,
): Promise<Create> {
  const names = ['client', 'record-store', 'counter-store', 'document-store', 'account-store', 'audit-store', 'stores']
  const sources = names.map((name) => {
    const source = readFileSync(new URL(`../src/mariadb-${name}.ts`, import.meta.url), 'utf8')
    return { name, source, isMutant: name === 'client' || name === kit.replace(' ', '-') }
  })
  for (const [text] of patches) {
    const places = sources.filter(({ isMutant }) => isMutant).flatMap(({ source }) => source.split(text).slice(1))
    expect(places, `places of "${text}": edit the mutants in this folder, which replace it`).toHaveLength(1)
  }
  for (const { name, source, isMutant } of sources) {
    const replaced = (isMutant ? patches : []).reduce((all, [text, other]) => all.replace(text, () => other), source)
    const resolved = replaced.replaceAll("'./mariadb-", `'./${index}-mariadb-`)
    writeFileSync(
      join(folder, `${index}-mariadb-${name}.ts`),
      resolved.replace(/from '([@m][^']+)'/g, (_all, id) => `from '${import.meta.resolve(id)}'`),
    )
  }
  const stores = await import(pathToFileURL(join(folder, `${index}-mariadb-stores.ts`)).href)
  return stores.createMariadbStores
}
