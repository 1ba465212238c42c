import { createDataFolder, findFreePort, findProgram, startServer, type TestServer } from './server-process.ts'

/**
 * Starts a separate Redis (or Valkey), or returns `null` if it is not installed.
 *
 * @param words more of its command line, for example `--appendonly yes`; by default it stores no data on disk.
 */
export async function startRedis(words: readonly string[] = []): Promise<TestServer | null> {
  const program = findProgram('redis-server') ?? findProgram('valkey-server')
  if (program === null) return null
  const [folder, port] = [await createDataFolder('redis'), await findFreePort()]
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  const recipe = { program, words: [...place, '--save', '', ...words], ready: /Ready to accept connections/ }
  return { url: `redis://127.0.0.1:${port}`, port, ...(await startServer(recipe, folder)) }
}
