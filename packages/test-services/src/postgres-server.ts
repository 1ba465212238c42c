import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  createDataFolder,
  findFreePort,
  findProgram,
  type ServerRecipe,
  startServer,
  type TestServer,
} from './server-process.ts'
import { findUnprivilegedUser } from './unprivileged-user.ts'

const debianFolder = '/usr/lib/postgresql'

/**
 * Starts a separate PostgreSQL with an empty data folder, or returns `null` if it is not installed.
 *
 * @param settings more of its configuration, for example `{ max_connections: '10' }`.
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<TestServer | null> {
  const folders = versionsOf(debianFolder)
  const [postgres, initdb] = [findProgram('postgres', folders), findProgram('initdb', folders)]
  if (postgres === null || initdb === null) return null
  // PostgreSQL refuses to run as root.
  const user = findUnprivilegedUser('postgres')
  const [folder, port] = [await createDataFolder('postgres', user), await findFreePort()]
  const words = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  await promisify(execFile)(initdb, words, { ...user, cwd: '/' })
  const recipe: ServerRecipe = {
    program: postgres,
    words: ['-D', folder, ...writeSettings({ ...defaults, port: String(port), ...settings })],
    ready: /database system is ready to accept connections/,
    ...(user && { user }),
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, port, ...(await startServer(recipe, folder)) }
}

const defaults = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  // A killed server loses nothing by this, only a machine without power does.
  fsync: 'off',
}

function writeSettings(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

function versionsOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(folder, version, 'bin'))
  } catch {
    return []
  }
}
