import { randomBytes, randomUUID } from 'node:crypto'
import { expectWithin, findFreePort, startPgbouncer, useService } from '@latchkey/test-services'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nodeStart, startQuickstart } from '../support/start-quickstart.ts'
import { subscribe, transports, until } from '../support/subscriber.ts'
import { createVisitor, seedPassword, type Visitor } from '../support/visitor.ts'

async function newDatabase(postgres: string): Promise<string> {
  const name = `subscriptions_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: postgres })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return Object.assign(new URL(postgres), { pathname: `/${name}` }).href
}

/** Where the database is reached, and where its events are. */
const ways = {
  directly: async (url: string) => ({ DATABASE_URL: url }),
  'with records in Redis': async (url: string, redis: string) => ({ DATABASE_URL: url, REDIS_URL: redis }),
  'through PgBouncer in transaction mode': async (url: string) => {
    const pooler = await startPgbouncer(url)
    if (!pooler) throw new Error('PgBouncer is not installed')
    onTestFinished(() => pooler.stop())
    return { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: url }
  },
}

describe.each(Object.entries(ways))('two processes on one PostgreSQL, %s', (_way, addressesOf) => {
  const postgres = useService('postgres')
  const redis = useService('redis')

  test('events of one process reach streams of another, and a renewal or revocation there closes them within five seconds', async () => {
    const environment = {
      ...(await addressesOf(await newDatabase(postgres), redis)),
      LATCHKEY_SECRET: randomBytes(32).toString('base64url'),
      PUBLIC_URL: 'http://127.0.0.1:4000',
      DATA_DIR: '/nonexistent',
    }
    const [here, there] = await Promise.all(
      [await findFreePort(), await findFreePort()].map(async (port) => {
        const service = await startQuickstart({ ...environment, PORT: String(port) }, nodeStart)
        onTestFinished(async () => void (await service.stop()))
        return `http://127.0.0.1:${port}`
      }),
    )
    const patient = { isPatient: true }
    const [reader, elsewhere] = [createVisitor(here ?? '', patient), createVisitor(there ?? '', patient)]
    await reader.signIn('reader@example.com', 'TOKEN')
    elsewhere.bearer = reader.bearer
    const [{ id }] = (await reader.ask('{ articles(first: 1) { id } }')).data.articles
    const query = `subscription { commentAdded(articleId: "${id}") { text author { name } } }`
    const streams = await Promise.all(transports.map((transport) => subscribe(here ?? '', transport, reader, query)))
    const comment = (visitor: Visitor, text: string) =>
      visitor.ask('mutation ($input: AddCommentInput!) { addComment(input: $input) { id } }', {
        input: { articleId: id, text },
      })
    for (let count = 0; streams.some(({ data }) => data.length === 0); count++) {
      await comment(elsewhere, `From there ${count}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    for (const { data } of streams) {
      expect(data[0]).toMatchObject({ commentAdded: { text: expect.stringMatching(/^From there/) } })
    }
    const begun = performance.now()
    expect((await elsewhere.ask('mutation { signOut }')).data).toEqual({ signOut: true })
    await until(() => streams.every(({ ended }) => ended))
    expectWithin(5_000, 'sign-out in another process: streams ended after', performance.now() - begun)
    for (const { codes } of streams) expect(codes).toEqual(['UNAUTHENTICATED'])

    for (const delivery of ['SESSION', 'TOKEN'] as const) {
      const author = createVisitor(there ?? '', patient)
      await author.signIn('author@example.com', delivery)
      const { cookies, bearer } = author
      const old = Object.assign(createVisitor(here ?? '', patient), { cookies: new Map(cookies), bearer })
      const open = () => Promise.all(transports.map((transport) => subscribe(here ?? '', transport, old, query)))
      const renewed = await open()
      const renewal = performance.now()
      const confirm = `mutation { confirmPassword(input: { currentPassword: "${seedPassword}" }) { status } }`
      expect((await author.ask(confirm)).data).toEqual({ confirmPassword: { status: 'SIGNED_IN' } })
      await until(() => renewed.every(({ ended }) => ended))
      expectWithin(5_000, `renewal of a ${delivery} in another process: ended after`, performance.now() - renewal)
      expect(renewed.map(({ codes, closedWith }) => [codes, closedWith])).toEqual([
        [[], null],
        [[], '4403 UNAUTHENTICATED'],
      ])
      const reopened = await open()
      await until(() => reopened.every(({ ended }) => ended))
      expect(reopened.map(({ codes }) => codes)).toEqual([['UNAUTHENTICATED'], ['UNAUTHENTICATED']])
    }
  })
})
