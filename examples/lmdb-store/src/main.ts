import { listen } from '@latchkey/server/node'
import { createLmdbStores } from './lmdb-stores.ts'
import { createService } from './service.ts'

const server = createService(createLmdbStores({ path: '.data' }))
await listen(server, { port: 4000 })
