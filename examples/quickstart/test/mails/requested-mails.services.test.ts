import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { floodWithResets } from '../support/flood.ts'
import { nodeStart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor } from '../support/visitor.ts'

test('resets that strangers request cause no mail to unknown addresses, and three mails and an own mail to an owner', async () => {
  const service = await startQuickstart({}, nodeStart)
  await floodWithResets([service.url], 'reader@example.com')
  // What is under way is done before it ends.
  expect(await service.stop()).toBe(0)
  const mails = await service.mailsTo('reader@example.com')
  expect(mails.filter(({ kind }) => kind === 'reset-password')).toHaveLength(4)
  const database = new DatabaseSync(join(service.dataDirectory, 'publication.db'), { readOnly: true })
  const count = (sql: string) => database.prepare(sql).get()?.count
  // Beside the links there is the mark of the session that has ended.
  expect(count("select count(*) as count from latchkey_records where key like 'reset_%'")).toBe(4)
  expect(count("select count(*) as count from latchkey_records where key not like 'es_%'")).toBe(4)
  // Those of resets, by strangers and by the owner's device, and that of the mail about this device.
  expect(count("select count(*) as count from latchkey_counters where key like 'mail:%'")).toBe(3)
  database.close()
})

test('an owner gets a mail about a sign-in on an unknown device, once for each device', async () => {
  const service = await startQuickstart({}, nodeStart)
  const [owner, stranger] = [createVisitor(service.url), createVisitor(service.url)]
  expect((await owner.signIn('author@example.com')).status).toBe(200)
  expect((await owner.ask('mutation { signOut }')).data).toEqual({ signOut: true })
  expect((await owner.signIn('author@example.com')).status).toBe(200)
  expect((await stranger.signIn('author@example.com')).status).toBe(200)
  expect((await stranger.signIn('author@example.com', 'SESSION', 'not the password')).status).toBe(401)
  expect(await service.stop()).toBe(0)
  const mails = await service.mailsTo('author@example.com')
  expect(mails.map(({ kind }) => kind)).toEqual(['new-device', 'new-device'])
})
