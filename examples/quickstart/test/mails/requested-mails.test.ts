import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { floodWithResets } from '../support/flood.ts'
import { nodeStart, startQuickstart } from '../support/start-quickstart.ts'

test('strangers who request resets leave nothing for unknown addresses, and three mails and an own one to an owner', async () => {
  const service = await startQuickstart({}, nodeStart)
  await floodWithResets([service.url], 'reader@example.com')
  // What is under way is done before it ends.
  expect(await service.stop()).toBe(0)
  expect(await service.mailsTo('reader@example.com')).toHaveLength(4)
  const database = new DatabaseSync(join(service.dataDirectory, 'publication.db'), { readOnly: true })
  const count = (sql: string) => database.prepare(sql).get()?.count
  // Beside the links there is the mark of the session that has ended.
  expect(count("select count(*) as count from latchkey_records where key like 'reset_%'")).toBe(4)
  expect(count("select count(*) as count from latchkey_records where key not like 'es_%'")).toBe(4)
  expect(count("select count(*) as count from latchkey_counters where key like 'mail:%'")).toBe(2)
  database.close()
})
