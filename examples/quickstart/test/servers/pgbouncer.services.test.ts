import { findFreePort, startPgbouncer, useService } from '@latchkey/test-services'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { nodeStart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor } from '../support/visitor.ts'

const people = ['reader', 'author', 'editor', 'admin']

describe('behind PgBouncer in transaction mode', () => {
  const postgres = useService('postgres')

  test.each([false, true])('twelve sign-ins are answered, with DATABASE_DIRECT_URL: %j', async (isDirect) => {
    const { DATABASE_URL = '', ...others } = await createServerEnvironment(postgres)
    const pooler = await startPgbouncer(DATABASE_URL, { default_pool_size: '4' })
    if (!pooler) throw new Error('PgBouncer is not installed')
    onTestFinished(() => pooler.stop())
    const PORT = String(await findFreePort())
    const direct = isDirect ? { DATABASE_DIRECT_URL: DATABASE_URL } : {}
    const service = await startQuickstart({ ...others, ...direct, DATABASE_URL: pooler.url, PORT }, nodeStart)
    onTestFinished(async () => void (await service.stop()))
    const other = new pg.Client({ connectionString: pooler.url })
    await other.connect()
    onTestFinished(() => other.end())

    const slow = other.query('select pg_sleep(1)')
    const ready = async () => (await fetch(`${service.url}/readyz`)).status
    await expect.poll(ready).toBe(200)
    const signIns = Array.from({ length: 12 }, async (_none, index) => {
      const email = `${people[index % people.length]}@example.com`
      return (await createVisitor(service.url, { isPatient: true }).signIn(email)).status
    })
    expect(new Set(await Promise.all(signIns))).toEqual(new Set([200]))
    expect((await slow).rowCount).toBe(1)
    expect(service.output()).not.toMatch(/prepared statement/)
  })
})
