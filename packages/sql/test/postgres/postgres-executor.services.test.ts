import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import { createPostgresExecutor, type PostgresExecutor, type PostgresPool } from '@latchkey/sql'
import { StoreError } from '@latchkey/store'
import { expectWithin, startStopwatch, useService } from '@latchkey/test-services'
import pg from 'pg'
import postgres from 'postgres'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { createPostgresDatabase } from './postgres-database.ts'

const url = useService('postgres')
const outage = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }
/** For what is no test of the deadline: no load of the machine makes it fail. */
const deadlineMs = 20_000

let database = ''
beforeAll(async () => {
  if (inject('postgres').url !== null) database = await createPostgresDatabase(url)
})

const drivers: readonly (readonly [name: string, open: () => PostgresPool])[] = [
  ['pg', () => new pg.Pool({ connectionString: database, max: 3 })],
  ['postgres.js', () => postgres(database, { max: 3, onnotice: () => {}, backoff: () => 0.05 })],
]

interface Note {
  readonly id: number
  readonly text: string
}

describe.each(drivers)('by %s', (_driver, openPool) => {
  async function open(): Promise<PostgresExecutor> {
    const executor = createPostgresExecutor({ pool: openPool(), deadlineMs })
    onTestFinished(() => executor.close())
    await executor.script(`
      drop table if exists notes;
      create table notes (id int primary key, text text not null, tags text[], rating double precision);
    `)
    return executor
  }
  const insert = 'insert into notes (id, text, tags, rating) values ($1, $2, $3, $4)'

  test('a statement takes any value that the driver takes, and returns rows', async () => {
    const { query } = await open()
    expect(await query(insert, [1, 'first', ['a', 'b'], 0.5])).toEqual([])
    expect(await query(`${insert} returning id, text`, [2, 'second', null, 1.25])).toEqual([{ id: 2, text: 'second' }])
    expect(await query('select * from notes where id = any($1::int[]) order by id', [[1, 2]])).toEqual([
      { id: 1, text: 'first', tags: ['a', 'b'], rating: 0.5 },
      { id: 2, text: 'second', tags: null, rating: 1.25 },
    ])
    expect(await query<Note>('update notes set text = $2 where id = $1 returning id, text', [1, 'new'])).toEqual([
      { id: 1, text: 'new' },
    ])
    expect(await query('delete from notes where id = $1 returning id', [9])).toEqual([])
  })

  test('a refused statement rejects with the error of the driver, and the connection is used again', async () => {
    const { query } = await open()
    await query(insert, [1, 'first', null, null])
    for (const text of [insert, `${insert} returning id`]) {
      await expect(query(text, [1, 'second', null, null])).rejects.toMatchObject({ code: '23505' })
    }
    await expect(query('select nothing')).rejects.toMatchObject({ code: '42703' })
    expect(await query('select id from notes')).toEqual([{ id: 1 }])
  })

  test('a transaction is committed as a whole, or undone if the work throws any value', async () => {
    const { query, transaction } = await open()
    const answer = await transaction(async (within) => {
      await within(insert, [1, 'first', null, null])
      expect(await query('select id from notes')).toEqual([])
      return (await within<Note>('select id from notes'))[0]?.id
    })
    expect(answer).toBe(1)
    for (const thrown of [new Error('no'), new StoreError('STORE_TOO_NEW', 'no'), 'no']) {
      const failing = transaction(async (within) => {
        await within(insert, [2, 'second', null, null])
        throw thrown
      })
      await expect(failing).rejects.toBe(thrown)
    }
    const refused = transaction(async (within) => {
      await within(insert, [3, 'third', null, null])
      await within(insert, [1, 'again', null, null])
    })
    await expect(refused).rejects.toMatchObject({ code: '23505' })
    expect(await query('select id from notes')).toEqual([{ id: 1 }])
  })

  test('a transaction waits no longer than its limit, is undone, and frees its connection', async () => {
    const { query, transaction } = await open()
    const late = transaction(
      async (within) => {
        await within(insert, [1, 'first', null, null])
        await within('select pg_sleep(60)')
      },
      { deadlineMs: 500 },
    )
    await expect(late).rejects.toMatchObject(outage)
    expect(await query('select id from notes')).toEqual([])
  })

  test('a transaction may take longer than a statement', async () => {
    const executor = createPostgresExecutor({ pool: openPool(), deadlineMs: 200 })
    onTestFinished(() => executor.close())
    const slow = () => executor.transaction((within) => within('select pg_sleep(0.4)'), { deadlineMs })
    await slow()
    await executor.script('select pg_sleep(0.4)', { deadlineMs })
  })

  test('statements that find no connection are all outages at the deadline', async () => {
    const calm = await open()
    const executor = createPostgresExecutor({ pool: openPool() })
    onTestFinished(() => executor.close())
    await calm.transaction(async (within) => {
      await within('lock table notes in access exclusive mode')
      const times: number[] = []
      for (let round = 0; round < 3; round++) {
        const elapsed = startStopwatch(250)
        const asked = Array.from({ length: 12 }, () => executor.query('select id from notes'))
        for (const outcome of await Promise.allSettled(asked)) expect(outcome).toMatchObject({ reason: outage })
        times.push(elapsed())
      }
      expectWithin(300, 'no connection to spare: twelve statements end within', times)
    })
  })

  test('a database that is closed, or that cannot be reached, is an outage', async () => {
    const executor = createPostgresExecutor({ pool: openPool(), deadlineMs })
    await executor.check()
    await Promise.all([executor.close(), executor.close()])
    for (const call of [() => executor.query('select 1'), () => executor.check(), () => executor.script('select 1')]) {
      await expect(call()).rejects.toMatchObject(outage)
    }
    const nowhere = createPostgresExecutor({ pool: new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/none' }) })
    await expect(nowhere.check()).rejects.toMatchObject(outage)
    await nowhere.close()
  })
})

test('PGlite runs statements, scripts and transactions', async () => {
  const executor = createPostgresExecutor({ pool: new PGlite(), deadlineMs })
  onTestFinished(() => executor.close())
  await executor.script('create table notes (id int primary key); insert into notes values (1)')
  const refused = executor.transaction(async (within) => {
    await within('insert into notes values ($1)', [2])
    await within('insert into notes values ($1)', [1])
  })
  await expect(refused).rejects.toMatchObject({ code: '23505' })
  expect(await executor.query('select id from notes')).toEqual([{ id: 1 }])
})

test('a cancel request of postgres.js that comes late costs no later statement of the connection its result', async () => {
  let connections = 0
  const slowLater = createServer((client) => {
    const server = connect(Number(new URL(database).port), '127.0.0.1').on('error', () => client.destroy())
    client.on('error', () => server.destroy())
    server.pipe(client)
    setTimeout(() => client.pipe(server), connections++ === 0 ? 0 : 200)
  })
  await once(slowLater.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void slowLater.close())
  const through = new URL(database)
  through.port = String((slowLater.address() as AddressInfo).port)
  const executor = createPostgresExecutor({ pool: postgres(through.href, { max: 1 }), deadlineMs: 1000 })
  onTestFinished(() => executor.close())
  await executor.check()
  await expect(executor.query('select pg_sleep(1.1)')).rejects.toMatchObject(outage)
  expect(await executor.query("select 1 as one, pg_sleep(0.4) || '' as slept")).toEqual([{ one: 1, slept: '' }])
  expect(connections).toBe(2)
})
