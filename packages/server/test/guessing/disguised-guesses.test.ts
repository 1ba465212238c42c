import { DatabaseSync } from 'node:sqlite'
import type { ServerStores } from '@latchkey/server'
import { listen } from '@latchkey/server/node'
import { createSqliteStores } from '@latchkey/sql'
import { disguises, plainGuess, type SentGuess } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBench, createMemoryStores, password, passwords } from '../support/bench.ts'

const wrong = 'herons never read at dusk'
const database = new DatabaseSync(':memory:')
const publicUrl = 'https://example.com'

describe.each([
  ['memory', () => createMemoryStores()],
  ['SQLite', () => createSqliteStores({ database: () => database })],
])(
  'of an account on %s five wrong passwords are tested, and the sixth guess is not, whatever differs in',
  (_stores, createStores) => {
    let stores: ServerStores
    let service: Awaited<ReturnType<typeof listen>>
    let drawn = 0

    beforeAll(async () => {
      stores = createStores()
      await stores.migrate?.()
      const bench = createBench({ options: { stores, http: { trustedProxies: ['127.0.0.1'] } } })
      service = await listen(({ port }) => bench.at(port), { port: 0, closeOn: [], print: null })
    })
    afterAll(() => service.close())

    const send = ({ path, headers, body }: SentGuess): Promise<Response> =>
      fetch(`http://127.0.0.1:${service.port}${path}`, { method: 'POST', redirect: 'manual', headers, body })

    test.each(disguises.map((disguise) => [disguise.title, disguise] as const))('%s', async (_title, { write }) => {
      drawn += 1
      const email = `ada${drawn}@example.com`
      await stores.accounts.insert({ ...(await account()), id: `acc_ada${drawn}`, email })
      const guess = { email, password: wrong, address: `198.18.0.${drawn}`, publicUrl }
      for (let index = 0; index < 5; index++) expect((await send(write(guess, index))).status).toBe(401)
      const before = passwords.stats.evaluations
      for (let index = 0; index < 5; index++)
        expect((await send(write({ ...guess, password }, index))).status).toBe(429)
      expect(passwords.stats.evaluations).toBe(before)
      // Strangers have used up what one address may: the owner has another one.
      const owner = { ...guess, password, address: '198.18.7.7' }
      expect((await send(plainGuess(owner))).status).toBe(200)
    })

    async function account() {
      const { id: _id, email: _email, ...rest } = await createBench().insert()
      return rest
    }
  },
)
