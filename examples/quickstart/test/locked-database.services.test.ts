import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expectWithin, startStopwatch } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeStart, type Quickstart, startQuickstart } from './support/start-quickstart.ts'
import { createVisitor, type Visitor } from './support/visitor.ts'

describe('while another process holds the database', () => {
  let service: Quickstart
  let author: Visitor
  let other: DatabaseSync

  beforeAll(async () => {
    service = await startQuickstart({}, nodeStart)
    author = createVisitor(service.url)
    await author.signIn('author@example.com')
    other = new DatabaseSync(join(service.dataDirectory, 'publication.db'))
    // The service writes after some answers too: `begin immediate` waits until it has written.
    other.exec('pragma busy_timeout = 5000')
  })
  afterAll(async () => {
    other.close()
    await service.stop()
  })

  const create = 'mutation { createArticle(input: { title: "Waits", body: "Words." }) { id } }'
  const writes = {
    'an article': (visitor: Visitor) => visitor.ask(create),
    'a session': () => createVisitor(service.url).signIn('reader@example.com'),
  }

  test.each(Object.entries(writes))(
    'writing %s is answered with 503, and works again afterwards',
    async (_what, write) => {
      other.exec('begin immediate')
      const refused = await write(author)
      other.exec('rollback')
      expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await write(author)).status).toBe(200)
    },
  )

  // A sign-in computes a hash first, which lets everything else on the machine go before it.
  const isLong = process.env.TEST_TIER === '3'
  test.each(Object.entries(writes).filter(([what]) => isLong || what === 'an article'))(
    `writing %s is answered within half a second${isLong ? ', in the long mode' : ''}`,
    async (what, write) => {
      other.exec('begin immediate')
      const times: number[] = []
      for (let attempt = 0; attempt < 3; attempt++) {
        const elapsed = startStopwatch(250, service.pid)
        expect((await write(author)).status).toBe(503)
        times.push(elapsed())
      }
      other.exec('rollback')
      expectWithin(500, `SQLite locked, writing ${what}: answered after`, times)
    },
  )

  test('reads succeed, and no session is revoked', async () => {
    other.exec('begin immediate')
    const answer = await author.ask('{ viewer { name } articles(first: 1) { id } }')
    other.exec('rollback')
    expect(answer).toMatchObject({ status: 200, data: { viewer: { name: 'Ada Author' } } })
  })
})
