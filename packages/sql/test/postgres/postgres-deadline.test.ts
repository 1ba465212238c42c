import { setTimeout } from 'node:timers/promises'
import { createPostgresStores, type PostgresPool } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'
import { textOf } from './postgres-database.ts'

type PgPool = Extract<PostgresPool, { connect: unknown }>

/** A pool whose server takes as long as the test wants for its answer about a record. */
function openPool(answer: (resolve: () => void) => void): PgPool {
  return {
    connect: async () => ({
      release: () => {},
      async query(asked) {
        const text = textOf(asked)
        if (text.includes('latchkey_migrations')) return { rows: [{ version: 1 }] }
        if (text.includes('latchkey_records')) await new Promise<void>(answer)
        return { rows: [] }
      },
    }),
    end: async () => {},
  }
}

test('an answer in the socket counts, however long the event loop was blocked', async () => {
  let arrive = () => {}
  const asked = Promise.withResolvers<void>()
  const pool = openPool((resolve) => {
    arrive = resolve
    asked.resolve()
  })
  const reading = createPostgresStores({ pool, deadlineMs: 300 }).records.get('se_1')
  await asked.promise
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  for (const end = performance.now() + 350; performance.now() < end; );
  // Timers come first now, and then the sockets, whose turn this stands for.
  setImmediate(() => arrive())
  expect(await reading).toBeNull()
})

test('no answer at all is an outage at the deadline', async () => {
  const stores = createPostgresStores({ pool: openPool(() => {}), deadlineMs: 20 })
  await expect(stores.records.get('se_1')).rejects.toMatchObject({
    name: 'StoreError',
    code: 'STORE_UNAVAILABLE',
    message: 'the database did not answer within 20 ms',
  })
})

test('a failure after the deadline is no unhandled rejection, which would end a process', async () => {
  const late = Promise.withResolvers<void>()
  const pool = openPool(() => {})
  const failing: PgPool = {
    ...pool,
    async connect() {
      await late.promise
      throw new Error('the server is gone')
    },
  }
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const stores = createPostgresStores({ pool: failing, deadlineMs: 20 })
  await expect(stores.records.get('se_1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  late.resolve()
  await setTimeout(10)
  expect(unhandled).toEqual([])
})
