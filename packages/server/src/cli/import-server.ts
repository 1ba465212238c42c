import type { Server } from '../create-server.ts'
import type { ServerStores } from '../options/server-stores.ts'
import { CommandFailure } from './command-failure.ts'
import { importFile, missingExport, propertyOf } from './import-file.ts'

/** The members of a server that commands use. */
export type CommandServer = Pick<
  Server,
  'open' | 'close' | 'accounts' | 'tools' | 'accessTokens' | 'rotateKeys' | 'replaceKeys' | 'stores' | 'access'
>

/** For the help of the commands that open a service. */
export const aboutFile = `<file> is the module, in JavaScript or TypeScript, that exports \`server\` (of createServer); package.json may
name it instead: "latchkey": { "server": "server.ts" }. Run the command with the settings of the service.`

export interface ServerWork {
  /** The words of the command, for example `keys rotate`. */
  readonly command: string
  /** The file argument. Empty if package.json names the file. */
  readonly files: readonly string[]
  /** The sentence about what the work throws. */
  readonly failure: string
  /** The store that the work changes, which other processes must see. Omitted: the work changes no store. */
  readonly changes?: 'documents' | 'records' | 'accounts'
}

/**
 * Imports the server of the one file that a command was given, runs the work with it, and always closes it.
 *
 * @throws CommandFailure when the file exports no server, when what the work would change is in memory, and with the sentence of
 * `failure` when the work throws.
 */
export async function withServer<Result>(
  { command, files, failure, changes }: ServerWork,
  work: (server: CommandServer) => Promise<Result>,
): Promise<Result> {
  const [path, exports] = await importFile(command, files)
  const { server } = exports
  if (!isServer(server)) throw missingExport(path, exports, '`server` of createServer')
  try {
    if (changes) await refuseMemory(path, placedIn(server.stores, changes))
    return await work(server)
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause
    throw new CommandFailure(failure, {
      exitCode: 1,
      next: `Check the stores and secrets of ${path}. If tables are missing: latchkey migrate ${path}`,
      cause,
    })
  } finally {
    await server.close()
  }
}

/** Both the stores and a single store may report that they are in memory. */
function placedIn(stores: ServerStores, part: NonNullable<ServerWork['changes']>): readonly Placed[] {
  return [stores, stores[part]]
}

/** Stores that say whether only this process sees what is in them. */
type Placed = Pick<ServerStores, 'isInMemory'>

/** @throws CommandFailure for stores in memory: the change would be lost when the command exits. */
export async function refuseMemory(path: string, stores: readonly Placed[]): Promise<void> {
  for (const store of stores) {
    if (!(await store.isInMemory?.())) continue
    throw new CommandFailure(
      `The stores of ${path} are in memory: the change would be lost when the command ends, and no running service would see it.`,
      {
        exitCode: 1,
        next: 'Run it with the settings of the service, and on a database that is on disk or on a server.',
      },
    )
  }
}

export function isServer(value: unknown): value is CommandServer {
  const isThere = (name: string): boolean => typeof propertyOf(value, name) === 'function'
  return isThere('open') && isThere('close') && isThere('accounts') && isThere('rotateKeys') && isThere('replaceKeys')
}
