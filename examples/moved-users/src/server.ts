import { createTerminalMailer, type Server } from '@latchkey/server'
import { createFileSecrets } from '@latchkey/server/node'
import { createService, type MovedService } from './service.ts'

export const service: MovedService = createService(process.env.DATABASE ?? 'app.db', {
  mails: { mailer: createTerminalMailer() },
  secrets: createFileSecrets({ path: 'secret' }),
})

/** The commands of `latchkey` use this server. */
export const server: Server = service.server
