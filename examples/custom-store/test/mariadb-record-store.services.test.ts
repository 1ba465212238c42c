import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  describeCounterStore,
  describeDocumentStore,
  describeRecordStore,
  type TestRunner,
} from '@latchkey/store/testing'
import { startMariadb } from '@latchkey/test-services'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { MariadbOptions } from '../src/mariadb-client.ts'
import { createMariadbCounterStore, mariadbCounterSchema } from '../src/mariadb-counter-store.ts'
import {
  createMariadbDocumentStore,
  type MariadbDocumentStore,
  mariadbDocumentSchema,
} from '../src/mariadb-document-store.ts'
import { createMariadbRecordStore, mariadbSchema } from '../src/mariadb-record-store.ts'
import { mariadbDocumentMutants } from './mariadb-document-mutants.ts'
import { type MariadbMutant, mariadbCounterMutants, mariadbMutants } from './mariadb-mutants.ts'

const server = await startMariadb()
const url = server?.url ?? ''
const deadlineMs = 2000
afterAll(() => server?.stop())
beforeEach(({ skip }) => skip(server === null, 'MariaDB is not installed'))

/** The factories of the stores: those of the sources, or those of a mutant. */
interface Factories {
  readonly createMariadbRecordStore: typeof createMariadbRecordStore
  readonly createMariadbCounterStore: typeof createMariadbCounterStore
  readonly createMariadbDocumentStore: typeof createMariadbDocumentStore
}
interface KitTest {
  readonly title: string
  readonly body: () => Promise<void>
}

/** Creates a database of its own with the table in it, and returns its URL. */
async function createDatabase(name: string, schema: string): Promise<string> {
  const connection = await mysql.createConnection({ uri: url, multipleStatements: true })
  await connection.query(`create database ${name}; use ${name}; ${schema}`)
  await connection.end()
  return url.replace('/latchkey', `/${name}`)
}

/** Strict as connections are by default: what does not fit is an error and not cut. */
async function setVersion(database: string, key: string, version: number): Promise<void> {
  const connection = await mysql.createConnection({ uri: database })
  await connection
    .query('update latchkey_records set version = ? where record_key = ?', [version, key])
    .finally(() => connection.end())
}

/** What every kit needs of a store on that database, whose URL may be known later. */
function backendOf<Store>(create: (options: MariadbOptions) => Store, database: Lazy) {
  return {
    createStore: () => create({ url: database(), deadlineMs }),
    unreachable: () => create({ url: 'mysql://root@127.0.0.1:1/latchkey', deadlineMs }),
    freeze: () => server?.pause(),
    thaw: () => server?.resume(),
    deadlineMs,
  }
}
type Lazy = () => string

/** Passes the tests of the kits on that database to a runner. */
function describeKits(runner: TestRunner, factories: Factories, database: Lazy): void {
  const { createMariadbRecordStore: createRecords, createMariadbCounterStore: createCounters } = factories
  const opened: MariadbDocumentStore[] = []
  const createDocuments = (options: MariadbOptions) => {
    const store = factories.createMariadbDocumentStore(options)
    opened.push(store)
    return store
  }
  runner.afterAll?.(async () => void (await Promise.all(opened.map((store) => store.close()))))
  describeRecordStore({
    ...runner,
    ...backendOf(createRecords, database),
    createStoreAt: (now) => createRecords({ url: database(), deadlineMs, now }),
    setVersion: (key, version) => setVersion(database(), key, version),
  })
  describeCounterStore({ ...runner, ...backendOf(createCounters, database) })
  describeDocumentStore({ ...runner, ...backendOf(createDocuments, database) })
}

const sound: Factories = { createMariadbRecordStore, createMariadbCounterStore, createMariadbDocumentStore }
const soundSchema = `${mariadbSchema}; ${mariadbCounterSchema}; ${mariadbDocumentSchema}`

describe('the stores on MariaDB', () => {
  let database = ''
  beforeAll(async () => {
    if (server) database = await createDatabase('kit', soundSchema)
  })
  describeKits({ describe, test, afterAll }, sound, () => database)

  describe('on a clock of their own', () => {
    let time = Date.UTC(2026, 0, 1)
    const now = () => time
    const wait = async (milliseconds: number) => {
      time += milliseconds
    }
    const createStore = () => createMariadbCounterStore({ url: database, deadlineMs, now })
    describeCounterStore({ describe, test, afterAll, createStore, now, wait })
  })

  test('go by the clock of the server from the first call on', async () => {
    const record = { key: 'kit_clock', owner: null, expiresAt: Date.now() + 5 * 60_000, value: '{}' }
    const right = createMariadbRecordStore({ url: database, deadlineMs })
    await right.insert(record)
    const { now } = Date
    Date.now = () => now() + 10 * 60_000
    const ahead = createMariadbRecordStore({ url: database, deadlineMs })
    Date.now = now
    onTestFinished(async () => void (await Promise.all([right.close?.(), ahead.close?.()])))
    expect(await ahead.get(record.key)).toMatchObject(record)
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
      const { factories, schema } = await loadMutant(folder, index, { kit, patches })
      const database = await createDatabase(`mutant_${index}`, schema)
      const { body, close } = findTest(`${kit}: ${fails}`, factories, database)
      onTestFinished(close)
      await expect(body()).rejects.toThrow()
    },
  )

  test('and have no test that fails without a mistake', async () => {
    const database = await createDatabase('sound', soundSchema)
    for (const title of new Set(mutants.map(({ kit, fails }) => `${kit}: ${fails}`))) {
      const { body, close } = findTest(title, sound, database)
      await body().finally(close)
    }
  })
})

/** Returns the one test with this title, after that of its kit, on those stores. */
function findTest(title: string, factories: Factories, database: string): KitTest & { close(): Promise<void> } {
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
  describeKits(runner, factories, () => database)
  const found = tests.find((one) => one.title === title)
  if (!found) throw new Error(`the kits have no test "${title}"`)
  return { ...found, close: async () => void (await Promise.all(ends.map((end) => end()))) }
}

/** Loads the stores with these texts replaced, each of which is there once in the source of the kit's store or the client. */
async function loadMutant(
  folder: string,
  index: number,
  { kit, patches }: { readonly kit: string } & Pick<MariadbMutant, 'patches'>,
): Promise<{ factories: Factories; schema: string }> {
  const names = ['client', 'record store', 'counter store', 'document store']
  const sources = names.map((name) => {
    const source = readFileSync(new URL(`../src/mariadb-${name.replace(' ', '-')}.ts`, import.meta.url), 'utf8')
    return { name, source, isMutant: name === 'client' || name === kit }
  })
  for (const [text] of patches) {
    const places = sources.filter(({ isMutant }) => isMutant).flatMap(({ source }) => source.split(text).slice(1))
    expect(places, `places of "${text}": edit mariadb-mutants.ts, which replaces it`).toHaveLength(1)
  }
  const files = sources.map(({ name, source, isMutant }) => {
    const replaced = (isMutant ? patches : []).reduce((all, [text, other]) => all.replace(text, () => other), source)
    const file = join(folder, `${index}-mariadb-${name.replace(' ', '-')}.ts`)
    const resolved = replaced.replaceAll('./mariadb-client.ts', `./${index}-mariadb-client.ts`)
    writeFileSync(
      file,
      resolved.replace(/from '([@m][^']+)'/g, (_all, id) => `from '${import.meta.resolve(id)}'`),
    )
    return file
  })
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(file).href)))
  const stores: Factories & Record<string, unknown> = Object.assign({}, ...modules)
  const schemas = [stores.mariadbSchema, stores.mariadbCounterSchema, stores.mariadbDocumentSchema]
  return { factories: stores, schema: schemas.join('; ') }
}
