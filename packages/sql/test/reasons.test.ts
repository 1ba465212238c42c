import { createPostgresStores, createSqliteStores } from '@latchkey/sql'
import { describe, expect, test } from 'vitest'

const refuse = (error: object) => (): never => {
  throw Object.assign(new Error('secret of the driver'), error)
}

const unknown = 'the database failed, for the reason in "cause"'

describe('SQLite says why it failed, by the number of one driver and the name of the other', () => {
  const check = (error: object) => createSqliteStores({ database: refuse(error) }).check()

  test.each([
    [8, 'SQLITE_READONLY', 'it is read-only: this user must be able to write its file and its folder'],
    [10, 'SQLITE_IOERR', 'its disk failed'],
    [11, 'SQLITE_CORRUPT', 'its file is damaged: restore it from a backup'],
    [13, 'SQLITE_FULL', 'its disk is full'],
    [
      14,
      'SQLITE_CANTOPEN',
      'its file cannot be opened: the folder must exist, and this user must be able to write there',
    ],
    [26, 'SQLITE_NOTADB', 'its file is not a SQLite database: the path may be that of another file'],
  ])('%i, %s', async (errcode, code, reason) => {
    const message = `the database failed: ${reason}`
    await expect(check({ errcode })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message })
    await expect(check({ errcode: errcode + 256 })).rejects.toMatchObject({ message })
    await expect(check({ code })).rejects.toMatchObject({ message })
    await expect(check({ code: `${code}_SPECIAL` })).rejects.toMatchObject({ message })
  })

  test.each([{}, { errcode: 1 }, { errcode: '13' }, { code: 'XSQLITE_FULL' }, { code: 'SQLITE_' }, { code: 13 }])(
    'no reason for an unknown error: %j',
    async (error) => {
      await expect(check(error)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: unknown })
    },
  )

  test('no reason for a thrown value that is not an error', async () => {
    const database = () => {
      throw { code: 'SQLITE_FULL', errcode: 13 }
    }
    await expect(createSqliteStores({ database }).check()).rejects.toMatchObject({ message: unknown })
  })
})

describe('PostgreSQL says why it failed, by the code of the server or of the operating system', () => {
  const check = (error: object) => {
    const pool = { connect: async () => refuse(error)(), end: async () => {} }
    return createPostgresStores({ pool }).check()
  }

  test.each([
    ['ECONNREFUSED', 'nothing listens at its address: start it, or correct the address'],
    ['ENOTFOUND', 'the name of its host is not known: correct the address'],
    ['EAI_AGAIN', 'the name of its host cannot be looked up at the moment'],
    ['ETIMEDOUT', 'it does not answer at its address: a firewall may be in between'],
    ['ECONNRESET', 'it closed the connection'],
    ['28000', 'it refuses this user'],
    ['28P01', 'it refuses the user or the password'],
    ['3D000', 'it has no database of this name: create it, or correct the name'],
    ['42501', 'its user may not use the tables of Latchkey: grant it the rights'],
    ['25006', 'it is read-only: connect to the primary server'],
    ['53100', 'its disk is full'],
    ['53300', 'it has no connection left: use smaller pools, or raise max_connections'],
    ['57P01', 'it is shutting down'],
    ['57P03', 'it is starting or shutting down'],
  ])('%s', async (code, reason) => {
    const message = `the database failed: ${reason}`
    await expect(check({ code })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message })
  })

  test.each([{}, { code: 'XX000' }, { code: 53100 }])('no reason for an unknown error: %j', async (error) => {
    await expect(check(error)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: unknown })
  })
})
