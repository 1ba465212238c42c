import { startStandaloneServer } from '@apollo/server/standalone'
import { server } from './server.ts'

const { url } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: 4000 } })
console.log(`Apollo Server listens at ${url}`)
