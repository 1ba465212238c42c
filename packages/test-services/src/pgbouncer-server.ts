import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDataFolder, findFreePort, findProgram, startServer, type TestServer } from './server-process.ts'
import { findUnprivilegedUser } from './unprivileged-user.ts'

/**
 * Starts a PgBouncer in transaction mode, or returns `null` if it is not installed. Its URL leads to the database
 * through the pooler.
 *
 * @param database the URL of the database behind it.
 * @param settings more of its configuration, for example `{ default_pool_size: '1' }`.
 */
export async function startPgbouncer(
  database: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestServer | null> {
  const program = findProgram('pgbouncer', ['/usr/sbin'])
  if (program === null) return null
  const { hostname, port: target, username } = new URL(database)
  // PgBouncer refuses to run as root.
  const user = findUnprivilegedUser('postgres')
  const [folder, port] = [await createDataFolder('pgbouncer', user), await findFreePort()]
  const file = join(folder, 'pgbouncer.ini')
  const lines = Object.entries({ ...defaults, listen_port: String(port), ...settings }).map(
    ([name, value]) => `${name} = ${value}`,
  )
  const databases = `* = host=${hostname} port=${target} user=${username}`
  await writeFile(file, ['[databases]', databases, '[pgbouncer]', ...lines, ''].join('\n'))
  const recipe = { program, words: [file], ready: /process up/, ...(user && { user }) }
  const url = Object.assign(new URL(database), { port: String(port) }).href
  return { url, port, ...(await startServer(recipe, folder)) }
}

const defaults = {
  listen_addr: '127.0.0.1',
  unix_socket_dir: '',
  auth_type: 'any',
  pool_mode: 'transaction',
  max_client_conn: '400',
}
