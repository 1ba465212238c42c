import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
import { expect, test } from 'vitest'

/** Stores whose database cannot be opened for this reason, and how often that was tried. */
function createFailing(error: object, deadlineMs: number) {
  const state = { attempts: 0 }
  const database = () => {
    state.attempts++
    throw Object.assign(new Error('refused'), error)
  }
  return { state, stores: createSqliteStores({ database, deadlineMs }) }
}

const locked = { errcode: 5 }

test('a locked database is looked at every few milliseconds until the deadline, and not without a pause', async () => {
  const { state, stores } = createFailing(locked, 2000)
  await expect(stores.records.get('se_1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  // 2 to 6 ms apart, where the machine has nothing else to do.
  expect(state.attempts).toBeGreaterThan(15)
  expect(state.attempts).toBeLessThan(1020)
})

test.each([
  [{ errcode: 5 }],
  [{ errcode: 6 }],
  [{ errcode: 517 }],
  [{ errcode: 262 }],
  [{ code: 'SQLITE_BUSY' }],
  [{ code: 'SQLITE_LOCKED_SHAREDCACHE' }],
])('%j is a lock, which may be gone the next time', async (error) => {
  let attempts = 0
  const database = () => {
    if (++attempts === 1) throw Object.assign(new Error('refused'), error)
    return new DatabaseSync(':memory:')
  }
  const stores = createSqliteStores({ database, deadlineMs: 30_000 })
  expect(await stores.isInMemory()).toBe(true)
  expect(attempts).toBe(2)
  await stores.close()
})

test.each([{ errcode: 7 }, { errcode: 1280 }, { code: 'NOT_SQLITE_BUSY' }, { code: 'ERR_SQLITE_ERROR' }, {}])(
  '%j is no lock, and is not tried again',
  async (error) => {
    const { state, stores } = createFailing(error, 1000)
    await expect(stores.check()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(state.attempts).toBe(1)
  },
)

test('a statement that fails for another reason is tried once', async () => {
  const { state, stores } = createFailing({ errcode: 13 }, 1000)
  await expect(stores.records.remove('se_1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await expect(stores.check()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(state.attempts).toBe(2)
})
