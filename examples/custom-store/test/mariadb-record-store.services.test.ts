import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describeRecordStore } from '@latchkey/store/testing'
import { startMariadb } from '@latchkey/test-services'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createMariadbRecordStore, mariadbSchema } from '../src/mariadb-record-store.ts'
import { mariadbMutants } from './mariadb-mutants.ts'

const server = await startMariadb()
const url = server?.url ?? ''
const deadlineMs = 2000
afterAll(() => server?.stop())
beforeEach(({ skip }) => skip(server === null, 'MariaDB is not installed'))

type CreateStore = typeof createMariadbRecordStore
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

/** What the kit needs of a store on that database, whose URL may be known later. */
function backendOf(create: CreateStore, database: () => string) {
  const nowhere = 'mysql://root@127.0.0.1:1/latchkey'
  return {
    createStore: () => create({ url: database(), deadlineMs }),
    createStoreAt: (now: () => number) => create({ url: database(), deadlineMs, now }),
    setVersion: (key: string, version: number) => setVersion(database(), key, version),
    unreachable: () => create({ url: nowhere, deadlineMs }),
    freeze: () => server?.pause(),
    thaw: () => server?.resume(),
    deadlineMs,
  }
}

describe('the store on MariaDB', () => {
  let database = ''
  beforeAll(async () => {
    if (server) database = await createDatabase('kit', mariadbSchema)
  })
  describeRecordStore({ describe, test, afterAll, ...backendOf(createMariadbRecordStore, () => database) })
})

describe('the kit finds each mistake in the store on MariaDB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-mutants-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each(mariadbMutants.map((mutant, index) => ({ ...mutant, index })))(
    '$mistake',
    async ({ index, patches, fails }) => {
      const { create, schema } = await loadMutant(folder, index, patches)
      const database = await createDatabase(`mutant_${index}`, schema)
      const { body, close } = findTest(fails, create, database)
      onTestFinished(close)
      await expect(body()).rejects.toThrow()
    },
  )

  test('and has no test that fails without a mistake', async () => {
    const database = await createDatabase('sound', mariadbSchema)
    for (const fails of new Set(mariadbMutants.map((mutant) => mutant.fails))) {
      const { body, close } = findTest(fails, createMariadbRecordStore, database)
      await body().finally(close)
    }
  })
})

/** Returns the one test of the kit with this title, on that store. */
function findTest(title: string, create: CreateStore, database: string): KitTest & { close(): Promise<void> } {
  const tests: KitTest[] = []
  const ends: (() => Promise<void>)[] = []
  describeRecordStore({
    describe: (_name, body) => body(),
    test: (name, body) => tests.push({ title: name, body }),
    afterAll: (body) => ends.push(body),
    ...backendOf(create, () => database),
  })
  const found = tests.find((one) => one.title === title)
  if (!found) throw new Error(`the kit has no test "${title}"`)
  return { ...found, close: async () => void (await Promise.all(ends.map((end) => end()))) }
}

/** Loads the store with these texts of its source replaced, each of which is there once. */
async function loadMutant(
  folder: string,
  index: number,
  patches: readonly (readonly [text: string, replacement: string])[],
): Promise<{ create: CreateStore; schema: string }> {
  const names = ['mariadb-client.ts', 'mariadb-record-store.ts']
  const sources = names.map((name) => readFileSync(new URL(`../src/${name}`, import.meta.url), 'utf8'))
  for (const [text] of patches) {
    const places = sources.flatMap((source) => source.split(text).slice(1))
    expect(places, `places of "${text}"`).toHaveLength(1)
  }
  const loaded = names.map((name, place) => {
    const source = patches.reduce(
      (all, [text, replacement]) => all.replace(text, () => replacement),
      sources[place] ?? '',
    )
    const file = join(folder, `${index}-${name}`)
    const resolved = source.replaceAll('./mariadb-client.ts', `./${index}-mariadb-client.ts`)
    writeFileSync(
      file,
      resolved.replace(/from '([@m][^']+)'/g, (_all, id) => `from '${import.meta.resolve(id)}'`),
    )
    return file
  })
  const store: Record<string, unknown> = await import(pathToFileURL(loaded[1] ?? '').href)
  return { create: store.createMariadbRecordStore as CreateStore, schema: String(store.mariadbSchema) }
}
