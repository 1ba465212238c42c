import type { Server } from '@latchkey/server'
import { defaultDataDirectory, readConfiguration } from './configuration.ts'
import { createData } from './data/open-data.ts'
import { openMailer } from './mailer.ts'
import { createPublication } from './start-service.ts'

const configuration = readConfiguration(process.env, defaultDataDirectory)
const { publicUrl, port } = configuration

/**
 * The publication for the `latchkey` commands, with the settings of the service. A command opens the stores when it needs
 * them: `latchkey access` and `latchkey schema` do not.
 */
export const server: Server = createPublication(configuration, createData(configuration), {
  publicUrl: publicUrl?.origin ?? `http://127.0.0.1:${port}`,
  port,
  mailer: await openMailer(configuration),
})
