import { listen } from '@latchkey/server/node'
import { createMariadbStores } from './mariadb-stores.ts'
import { createService } from './service.ts'

const url = process.env.DATABASE_URL ?? 'mysql://root@127.0.0.1:3306/latchkey'
const server = createService(createMariadbStores({ url }))
await server.open({ migrate: true })
await listen(server, { port: 4000 })
