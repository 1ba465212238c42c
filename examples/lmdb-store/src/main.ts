// Sessions on LMDB: run it twice, and the second run finds what the first one left.
import { createSessions } from '@latchkey/sessions'
import { createLmdbStores } from './lmdb-stores.ts'

const { records, close } = createLmdbStores({ path: '.data' })
const sessions = createSessions({ records })
const issued = await sessions.create({ subject: 'acc_1', factors: [{ kind: 'password', at: Date.now() }] })
console.log('this session:', (await sessions.read(issued?.credential ?? null))?.key)
console.log('all of acc_1:')
for (const { key, createdAt } of await sessions.list('acc_1')) console.log(' ', key, new Date(createdAt).toISOString())
await close()
