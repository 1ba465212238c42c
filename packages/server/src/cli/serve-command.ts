import { parseArgs } from 'node:util'
import type { Server } from '../create-server.ts'
import { listen } from '../node/listen.ts'
import { loopbackPlace, type Place } from '../options/base-url.ts'
import { closeWithNpm } from './close-with-npm.ts'
import { CommandFailure } from './command-failure.ts'
import { importFile, missingExport } from './import-file.ts'
import { aboutFile, isServer } from './import-server.ts'
import type { Command } from './run-command.ts'

const name = 'serve'

/** `latchkey serve <file>` */
export const serveCommand: Command = {
  name,
  summary: 'serve over HTTP until a signal ends it',
  help: `usage: latchkey serve <file> [--port <port>] [--host <address>] [--migrate]

Serves over HTTP, as \`listen\` of @latchkey/server/node does, until SIGTERM or SIGINT: requests under way finish, then the
stores are closed. It starts the same way under process managers, where \`import.meta.main\` of the file is not true. Started
by npm or npx, it ends with them.

${aboutFile}

  --port <port>     0 picks a free port; default: the variable PORT, else that of a \`baseUrl\` on loopback, else 4000
  --host <address>  the address to listen on; default: the variable HOST, else that of a \`baseUrl\` on loopback,
                    else 127.0.0.1
  --migrate         creates or upgrades the tables first
  --help            this text

Exit code
  0  ended by a signal, in order
  1  it could not start, or not be closed
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\``,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { port: { type: 'string' }, host: { type: 'string' }, migrate: { type: 'boolean' } },
    })
    const given = { port: readPort(values.port ?? process.env.PORT), hostname: values.host ?? process.env.HOST }
    const [file, exports] = await importFile(name, positionals)
    const { server } = exports
    if (!isServer(server)) throw missingExport(file, exports, '`server` of createServer')
    const place = placeOf(server as Server, given)
    const isOwnPort = loopbackPlace((server as Server).baseUrl)?.port === place.port
    const { closed, close } = await listen(server as Server, { ...place, migrate: values.migrate ?? false }).catch(
      (cause: unknown) => {
        throw new CommandFailure(`${file} cannot be served.`, {
          exitCode: 1,
          cause,
          ...adviceFor(cause, file, isOwnPort),
        })
      },
    )
    const stopWatch = closeWithNpm(close)
    await closed.finally(stopWatch)
    return { text: '', exitCode: 0 }
  },
}

interface GivenPlace {
  readonly port: number | null
  readonly hostname: string | undefined
}

/** Takes an omitted port or host name from the service's base URL. */
function placeOf({ baseUrl }: Pick<Server, 'baseUrl'>, { port, hostname }: GivenPlace): Place {
  const own = loopbackPlace(baseUrl)
  // `localhost` is either of two addresses.
  const ownAddress = own && own.hostname !== 'localhost' ? own.hostname : '127.0.0.1'
  return { port: port ?? own?.port ?? 4000, hostname: hostname || ownAddress }
}

/** Returns `null` for none. */
function readPort(text: string | undefined): number | null {
  if (!text) return null
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new CommandFailure('latchkey serve: the port must be a number from 0 to 65535.', {
    exitCode: 2,
    next: 'It is --port, or the variable PORT.',
  })
}

/** @param isOwnPort whether `baseUrl` has the port; otherwise another server forwards requests to it. */
function adviceFor(error: unknown, file: string, isOwnPort: boolean): { readonly next?: string } {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'EADDRINUSE') {
    const other = isOwnPort
      ? 'another port in baseUrl and --port'
      : 'another --port, also in the server that forwards requests here, such as Vite or a proxy'
    return { next: `The port is taken: stop the program that listens there, or use ${other}.` }
  }
  if (code === 'STORE_NOT_MIGRATED') return { next: `Tables are missing: latchkey serve ${file} --migrate` }
  return {}
}
