import { listen } from '@latchkey/server/node'
import { createService } from './service.ts'
import { settings } from './settings.ts'

const listening = listen(createService(settings), { port: Number(process.env.PORT), print: null })
process.once('disconnect', async () => (await listening).close())
const { closed } = await listening
process.send?.('listening')
await closed
if (process.connected) process.disconnect()
