import type { Server } from '../create-server.ts'
import { CommandFailure } from './command-failure.ts'
import { importFile, missingExport, propertyOf } from './import-file.ts'

/** What the commands that open a service use of it. */
export type CommandServer = Pick<Server, 'open' | 'close' | 'accounts' | 'rotateKeys' | 'stores'>

/**
 * Imports the server of the one file that a command was given, works with it, and closes it whatever came of it.
 *
 * @throws CommandFailure when there is none, and with the sentence of `failure` around what the work throws.
 */
export async function withServer<Result>(
  {
    command,
    files,
    failure,
  }: { readonly command: string; readonly files: readonly string[]; readonly failure: string },
  work: (server: CommandServer) => Promise<Result>,
): Promise<Result> {
  const [path, exports] = await importFile(command, files)
  const { server } = exports
  if (!isServer(server)) throw missingExport(path, exports, '`server` of createServer')
  try {
    return await work(server)
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause
    throw new CommandFailure(failure, {
      exitCode: 1,
      next: `Look at the stores and secrets of ${path}; where tables are missing: latchkey migrate ${path}`,
      cause,
    })
  } finally {
    await server.close()
  }
}

function isServer(value: unknown): value is CommandServer {
  const isThere = (name: string): boolean => typeof propertyOf(value, name) === 'function'
  return isThere('open') && isThere('close') && isThere('accounts') && isThere('rotateKeys')
}
