import { createPostgresStores, type PostgresPool } from '@latchkey/sql'
import { expect, test } from 'vitest'

type PgPool = Extract<PostgresPool, { connect: unknown }>

interface Opened {
  readonly get: () => Promise<unknown>
  /** Of the statements for records, whether each had a name. */
  readonly named: boolean[]
  readonly released: boolean[]
}

/** Stores on a pool of `pg` that refuses statements with names by an error. */
function open(error: object): Opened {
  const named: boolean[] = []
  const released: boolean[] = []
  const pool: PgPool = {
    connect: async () => ({
      release: (isBroken) => void released.push(isBroken === true),
      async query(asked) {
        const { name, text } = typeof asked === 'string' ? { text: asked, name: null } : asked
        if (text.includes('latchkey_migrations')) return { rows: [{ version: 99, usable_by: 1 }] }
        if (text.includes('as now')) return { rows: [{ now: Date.now() }] }
        named.push(name !== null)
        if (name !== null) throw Object.assign(new Error('refused'), error)
        return { rows: [] }
      },
    }),
    end: async () => {},
  }
  const { records } = createPostgresStores({ pool, deadlineMs: 10_000 })
  return { get: () => records.get('se_1'), named, released }
}

test.each([
  { code: '26000' },
  { code: '42P05' },
  { code: '08P01', routine: 'exec_bind_message' },
  { code: '08P01', message: "prepared statement 'latchkey_1' not found" },
])(
  'a prepared statement that a pooler refuses is sent again without a name, and so are later ones: %j',
  async (error) => {
    const { get, named } = open(error)
    for (let round = 0; round < 2; round++) expect(await get()).toBeNull()
    expect(named).toEqual([true, false, false])
  },
)

test.each([
  { code: '08P01', message: 'query_wait_timeout' },
  { code: '08P01', message: 'server conn crashed?' },
  { code: '57014' },
  { code: 'ECONNRESET' },
])('a statement that may have been executed is not sent again: %j', async (error) => {
  const { get, named, released } = open(error)
  for (let round = 0; round < 2; round++) await expect(get()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(named).toEqual([true, true])
  expect(released.filter(Boolean)).toHaveLength(2)
})
