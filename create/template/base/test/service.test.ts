import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestServer } from '@latchkey/server/testing'
import { stores } from '../src/database.ts'
import { createService } from '../src/service.ts'
import { createMemoryNotes } from './memory-notes.ts'

/** The service with everything in memory: no file and no database is opened. */
const open = () => createTestServer(createService({ stores, notes: createMemoryNotes() }))

const create = 'mutation { createNote(text: "Feed the otters") { id } }'
const update = 'mutation ($id: ID!) { updateNote(id: $id, text: "Done") { text } }'

test('a visitor who is not signed in gets 401 for the notes', async () => {
  const { visitor } = await open()
  const { status, code } = await visitor().graphql('{ notes { text } }')
  assert.deepEqual([status, code], [401, 'UNAUTHENTICATED'])
})

test('a member reads the notes that they wrote, and no others', async () => {
  const { signedIn } = await open()
  const [ada, otto] = [await signedIn({ role: 'MEMBER' }), await signedIn({ role: 'MEMBER' })]
  await ada.graphql(create)
  const mine = await ada.graphql('{ notes { text } }')
  assert.deepEqual(mine.data, { notes: [{ text: 'Feed the otters' }] })
  assert.deepEqual((await otto.graphql('{ notes { text } }')).data, { notes: [] })
})

test('only the owner and administrators change a note', async () => {
  const { signedIn } = await open()
  const ada = await signedIn({ role: 'MEMBER' })
  const { data } = await ada.graphql(create)
  const { id } = (data as { createNote: { id: string } }).createNote
  const otto = await signedIn({ role: 'MEMBER' })
  const { status, code } = await otto.graphql(update, { id })
  assert.deepEqual([status, code], [403, 'FORBIDDEN'])
  assert.deepEqual((await ada.graphql('{ notes { text } }')).data, { notes: [{ text: 'Feed the otters' }] })
  assert.equal((await ada.graphql(update, { id })).status, 200)
  assert.equal((await (await signedIn({ role: 'ADMIN' })).graphql(update, { id })).status, 200)
})
