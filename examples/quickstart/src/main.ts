import { ConfigurationError, defaultDataDirectory, readConfiguration } from './configuration.ts'
import { startService } from './start-service.ts'

try {
  const configuration = readConfiguration(process.env, defaultDataDirectory)
  const { publicUrl } = await startService(configuration)
  console.log(`Latchkey is listening on ${publicUrl}/graphql`)
} catch (error) {
  console.error(`The service cannot start. ${sentenceOf(error)}`)
  process.exitCode = 1
}

function sentenceOf(error: unknown): string {
  if (error instanceof ConfigurationError || error instanceof TypeError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return 'The port is taken: set PORT to another one, or to 0 for a free one.'
  return message
}
