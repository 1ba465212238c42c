import { createHash } from 'node:crypto'
import { findFreePort, useService } from '@latchkey/test-services'
import { Redis } from 'ioredis'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { floodWithResets, unknownAddresses } from '../support/flood.ts'
import { createServerEnvironment } from '../support/server-environment.ts'
import { nodeStart, startQuickstart, temporaryDirectory } from '../support/start-quickstart.ts'

const owned = 'reader@example.com'
/** Of the links that are valid while nothing of the account has changed. */
const ownerOf = (email: string) => `reset_${createHash('sha256').update(`0 ${email}`).digest('base64url')}`

describe.each(['alone', 'with the records on Redis'])('two processes on PostgreSQL %s', (how) => {
  const postgres = useService('postgres')
  const redis = useService('redis')

  test('two processes send three mails together for resets that strangers request, and no mail to unknown addresses', async () => {
    const isOnRedis = how !== 'alone'
    const environment = await createServerEnvironment(postgres, isOnRedis ? { redisUrl: redis } : {})
    const shared = { ...environment, MAIL_DIR: await temporaryDirectory() }
    const ports = [await findFreePort(), await findFreePort()]
    const services = await Promise.all(
      ports.map((port) => startQuickstart({ ...shared, PORT: String(port) }, nodeStart)),
    )
    onTestFinished(async () => void (await Promise.all(services.map((service) => service.stop()))))
    await floodWithResets(
      services.map(({ url }) => url),
      owned,
    )
    // What is under way is done before they end.
    expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0])
    const mails = await services[0]?.mailsTo(owned)
    expect(mails?.filter(({ kind }) => kind === 'reset-password')).toHaveLength(4)

    const database = new pg.Client({ connectionString: environment.DATABASE_URL ?? '' })
    await database.connect()
    onTestFinished(() => database.end())
    const { rows } = await database.query<{ key: string }>("select key from latchkey_counters where key like 'mail:%'")
    const counted = ['mail:new-device:unknown', 'mail:reset:known', 'mail:reset:unknown']
    expect(rows.map(({ key }) => key.split(':').slice(0, 3).join(':')).toSorted()).toEqual(isOnRedis ? [] : counted)
    // Beside the links there is the mark of the session that has ended.
    const others = "select owner from latchkey_records where key not like 'es_%'"
    const records = await database.query<{ owner: string }>(others)
    expect(records.rows.map(({ owner }) => owner)).toEqual(isOnRedis ? [] : new Array(4).fill(ownerOf(owned)))
    if (isOnRedis) await expectOnRedis(redis)
  })
})

/** The Redis is that of other tests, too: only what would be there of the addresses of this one can be looked for. */
async function expectOnRedis(url: string): Promise<void> {
  const client = new Redis(url)
  onTestFinished(() => client.disconnect())
  const keys = await client.keys('*')
  const has = (email: string) => keys.some((key) => key.includes(ownerOf(email)))
  expect(has(owned)).toBe(true)
  expect(unknownAddresses.filter(has)).toEqual([])
}
