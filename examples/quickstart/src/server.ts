import type { Server } from '@latchkey/server'
import { defaultDataDirectory, readConfiguration } from './configuration.ts'
import { createData } from './data/open-data.ts'
import { openMailer } from './mailer.ts'
import { createPublication } from './start-service.ts'

const configuration = readConfiguration(process.env, defaultDataDirectory)
const { publicUrl, port } = configuration

/**
 * The publication as the commands of `latchkey` use it, with the settings of the service. It opens nothing until a command
 * needs the stores: `latchkey access` and `latchkey schema` never do.
 */
export const server: Server = createPublication(configuration, createData(configuration), {
  publicUrl: publicUrl?.origin ?? `http://127.0.0.1:${port}`,
  port,
  mailer: await openMailer(configuration),
})
