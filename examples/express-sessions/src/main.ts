import { mkdirSync } from 'node:fs'
import { unknownAttempt } from '@latchkey/accounts'
import { limitConnections } from '@latchkey/http/node'
import { createApp } from './app.ts'
import { createService } from './service.ts'

const { PORT = '4000', DATA_DIR = '.data' } = process.env

mkdirSync(DATA_DIR, { recursive: true })
const baseUrl = `http://127.0.0.1:${PORT}`
const service = createService(baseUrl, DATA_DIR)
await service.open({ migrate: true })
const [email, password] = ['ada@example.com', 'otters read quietly at dawn']
const accounts = await service.accounts()
await accounts.create({ email, name: 'Ada', roles: ['MEMBER'], password, attempt: unknownAttempt })

const listening = createApp(service).listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Listening at ${baseUrl}: ${email} has the password “${password}”.`)
})
limitConnections(listening)
process.once('SIGTERM', () => listening.close(() => service.close()))
