import { limitConnections, toNodeListener } from '@latchkey/http/node'
import express from 'express'
import { graphql, streams } from './graphql.ts'

export const app = express()

// Before body parsers: the handler reads the body itself, up to its own limit.
app.all('/graphql', toNodeListener(graphql))
app.all('/graphql/stream', toNodeListener(streams))

app.use(express.json())
app.post('/echo', ({ body }, response) => void response.json(body))

if (import.meta.main) limitConnections(app.listen(4000, '127.0.0.1'))
