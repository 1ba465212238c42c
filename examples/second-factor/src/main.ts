import { listen } from '@latchkey/server/node'
import { server } from './server.ts'

await server.open({ migrate: true })
await listen(server, { port: 4000 })
