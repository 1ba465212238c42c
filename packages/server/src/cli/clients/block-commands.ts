import { parseArgs } from 'node:util'
import { CommandFailure } from '../command-failure.ts'
import { aboutFile } from '../import-server.ts'
import type { Command } from '../run-command.ts'
import { withClients } from './with-clients.ts'

const exitCodes = `Exit code
  0  done
  1  nothing to change, neither a host nor an id, the stores do not answer, @latchkey/oauth is not installed, or the file cannot be
     imported
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\``

interface BlockCommand {
  readonly step: 'block' | 'unblock'
  readonly summary: string
  readonly about: string
  /** The sentence if the list has not changed. */
  readonly idle: string
  readonly done: (blocked: string) => string
}

function blockCommand({ step, summary, about, idle, done }: BlockCommand): Command {
  const name = `clients ${step}`
  return {
    name,
    summary,
    help: `usage: latchkey ${name} <file> <host or id> [--json]

${about}

  latchkey ${name} server.ts app.example.com
  latchkey ${name} server.ts https://app.example.com/client.json

${aboutFile}
A host has no port, and does not include its subdomains. An id is the URL that the client sends as client_id.

  --json  prints { blocked }, the host or the id
  --help  this text

${exitCodes}`,
    async run(args) {
      const options = { json: { type: 'boolean' } } as const
      const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
      const { blocked, files } = readBlocked(name, positionals)
      await withClients({ command: name, files, isChange: true }, ({ registry, change }) =>
        change(`client.${step}ed`, async () => {
          if (!(await registry[step](blocked))) throw new CommandFailure(idle, { exitCode: 1 })
          return { clientId: blocked, result: null }
        }),
      )
      return { text: `${values.json ? JSON.stringify({ blocked }) : done(blocked)}\n`, exitCode: 0 }
    },
  }
}

function readBlocked(
  command: string,
  given: readonly string[],
): { readonly blocked: string; readonly files: readonly string[] } {
  const blocked = given.at(-1)
  const isFile = given.length === 1 && /\.[cm]?[jt]s$/.test(blocked ?? '')
  if (blocked !== undefined && given.length <= 2 && !isFile) return { blocked, files: given.slice(0, -1) }
  throw new CommandFailure(`latchkey ${command}: the file that exports your server and one host or id are required.`, {
    exitCode: 2,
    next: `See: latchkey ${command} --help`,
  })
}

export const blockCommands: readonly Command[] = [
  blockCommand({
    step: 'block',
    summary: 'block unregistered clients, by host or id',
    about: `Blocks clients that are not registered (metadataClients). It takes effect with the next request, in every process: their requests
and their tokens are refused. For registered clients use latchkey clients disable.`,
    idle: 'It is already blocked.',
    done: (blocked) => `${blocked} is blocked. Its tokens are refused.`,
  }),
  blockCommand({
    step: 'unblock',
    summary: 'unblock unregistered clients',
    about: `Removes a block. Tokens of its clients are accepted again, unless they were revoked or have expired.`,
    idle: 'It is not blocked.',
    done: (blocked) => `${blocked} is no longer blocked.`,
  }),
]
