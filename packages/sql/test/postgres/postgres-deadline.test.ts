import { createPostgresStores, type PgPool } from '@latchkey/sql'
import { expect, test } from 'vitest'

/** A pool whose server takes as long as the test wants for its answer about a record. */
function openPool(answer: (resolve: () => void) => void): PgPool {
  return {
    connect: async () => ({
      release: () => {},
      async query(text) {
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
  await expect(stores.records.get('se_1')).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
})
