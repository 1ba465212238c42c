import { createTerminalMailer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createService } from './service.ts'

export const server: Server = createService(process.env.DATABASE ?? 'app.db', {
  mails: { mailer: createTerminalMailer() },
  secrets: createFileSecrets({ path: 'secret' }),
})
