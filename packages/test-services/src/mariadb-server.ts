import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createDataFolder,
  findFreePort,
  findProgram,
  type ServerRecipe,
  startServer,
  type TestServer,
} from './server-process.ts'
import { findUnprivilegedUser } from './unprivileged-user.ts'

/**
 * Starts a separate MariaDB with an empty database `latchkey`, or returns `null` if it is not installed. It has no
 * table of users, so it accepts every user of this machine, and its time zone has summer time.
 */
export async function startMariadb(): Promise<TestServer | null> {
  const program = findProgram('mariadbd', ['/usr/sbin'])
  if (program === null) return null
  const user = findUnprivilegedUser('mysql')
  const [folder, port] = [await createDataFolder('mariadb', user), await findFreePort()]
  await writeFile(join(folder, 'first.sql'), 'create database if not exists latchkey;\n')
  const recipe: ServerRecipe = {
    program,
    words: ['--no-defaults', `--datadir=${folder}`, `--port=${port}`, ...settingsIn(folder)],
    ready: /ready for connections/,
    // Written out, so that no files of time zones are needed.
    env: { TZ: 'CET-1CEST,M3.5.0,M10.5.0/3' },
    ...(user && { user }),
  }
  const server = await startServer(recipe, folder)
  return { url: `mysql://root@127.0.0.1:${port}/latchkey`, port, ...server }
}

function settingsIn(folder: string): string[] {
  return [
    '--bind-address=127.0.0.1',
    `--socket=${folder}/socket`,
    `--pid-file=${folder}/pid`,
    `--tmpdir=${folder}`,
    '--skip-grant-tables',
    `--init-file=${folder}/first.sql`,
    '--innodb-buffer-pool-size=64M',
    '--innodb-log-file-size=16M',
    '--max-allowed-packet=16M',
    '--max-connections=300',
    // A killed server loses nothing by this, only a machine without power does.
    '--innodb-flush-log-at-trx-commit=0',
    // Containers have few of its kind of events.
    '--innodb-use-native-aio=0',
  ]
}
