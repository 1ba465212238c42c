import { createServer } from 'node:http'
import { yoga } from './yoga.ts'

createServer(yoga).listen(4000, '127.0.0.1', () => console.log('GraphQL Yoga listens at http://127.0.0.1:4000/graphql'))
