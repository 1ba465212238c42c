// Sessions on the store of this example: run it twice, and the second run finds what the first one left.
import { createSessions } from '@latchkey/sessions'
import { createFileRecordStore } from './file-record-store.ts'

const sessions = createSessions({ records: createFileRecordStore({ folder: '.data' }) })
const issued = await sessions.create({ subject: 'acc_1', factors: [{ kind: 'password', at: Date.now() }] })
console.log('this session:', (await sessions.read(issued?.credential ?? null))?.key)
console.log('all of acc_1:')
for (const { key, createdAt } of await sessions.list('acc_1')) console.log(' ', key, new Date(createdAt).toISOString())
