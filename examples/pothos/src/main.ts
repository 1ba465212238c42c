import { limitConnections } from '@latchkey/http/node'
import { server } from './server.ts'

limitConnections(server)
server.listen(4000, '127.0.0.1', () => console.log('Listening at http://127.0.0.1:4000/graphql'))
