import type { Server } from '../create-server.ts'
import { CommandFailure } from './command-failure.ts'
import { importFile, missingExport, propertyOf } from './import-file.ts'

/** What the commands that open a service need of it. */
export type CommandServer = Pick<Server, 'open' | 'close' | 'accounts' | 'rotateKeys' | 'stores'>

/**
 * Imports the server of the one file that a command was given, runs the work with it, and always closes it.
 *
 * @throws CommandFailure when the file exports no server, and with the sentence of `failure` when the work throws.
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
      next: `Check the stores and secrets of ${path}. If tables are missing: latchkey migrate ${path}`,
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
