import { parseArgs } from 'node:util'
import { CommandFailure } from '../command-failure.ts'
import { aboutFile } from '../import-server.ts'
import type { Command } from '../run-command.ts'
import { toTable } from '../to-table.ts'
import { blockCommands } from './block-commands.ts'
import type { ClientRegistry, ListedClient } from './client-registry.ts'
import { createCommand, describeIssued } from './create-command.ts'
import { type ServiceClients, withClients } from './with-clients.ts'

const json = { json: { type: 'boolean' } } as const

const exitCodes = `Exit code
  0  done
  1  the client does not exist, the stores do not answer, @latchkey/oauth is not installed, or the file cannot be imported
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\``

/** `latchkey clients list <file>` */
const listCommand: Command = {
  name: 'clients list',
  summary: 'the clients of the authorization server',
  help: `usage: latchkey clients list <file> [--json]

Prints the stored clients, including disabled ones, and never a secret. Clients in code (fixedClients) are not stored.

${aboutFile}

  --json  prints a list of { client_id, name, kind, authentication, grantTypes, redirectUris, postLogoutRedirectUris,
          backchannelLogoutUri, idTokenSignedResponseAlg, scopes, firstParty, isDisabled, createdAt }, the time in epoch
          milliseconds
  --help  this text

${exitCodes}`,
  async run(args) {
    const { values, positionals: files } = parseArgs({ args: [...args], allowPositionals: true, options: json })
    const clients = await withClients({ command: 'clients list', files }, ({ registry }) => listAll(registry))
    const text = values.json ? `${JSON.stringify(clients.map(toRow), null, 2)}\n` : describeClients(clients)
    return { text, exitCode: 0 }
  },
}

async function listAll(registry: ClientRegistry): Promise<readonly ListedClient[]> {
  const all: ListedClient[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await registry.list(cursor === undefined ? {} : { cursor })
    all.push(...page.items)
    cursor = page.cursor
  }
  return all
}

/** Lists the printed properties by name, so that no other property of a client is printed. */
function toRow({ id, name, kind, authentication, grantTypes, redirectUris, ...client }: ListedClient): object {
  const { postLogoutRedirectUris, backchannelLogoutUri, idTokenSignedResponseAlg, scopes, ...state } = client
  const { firstParty, isDisabled, createdAt } = state
  const uris = { redirectUris, postLogoutRedirectUris, backchannelLogoutUri, idTokenSignedResponseAlg }
  return { client_id: id, name, kind, authentication, grantTypes, ...uris, scopes, firstParty, isDisabled, createdAt }
}

function describeClients(clients: readonly ListedClient[]): string {
  if (clients.length === 0) return 'No clients are stored: latchkey clients create registers the first one.\n'
  const rows = clients.map(({ id, name, kind, authentication, scopes, firstParty, isDisabled }) => {
    return [
      id,
      name,
      firstParty ? `${kind}, first-party` : kind,
      authentication.join(', '),
      isDisabled ? 'disabled' : 'active',
      scopes.join(' '),
    ]
  })
  return toTable(['Client', 'Name', 'Kind', 'Authentication', 'Status', 'Scopes'], rows)
}

/** `latchkey clients disable <file> <client>` */
const disableCommand: Command = {
  name: 'clients disable',
  summary: 'disable a client, and refuse its tokens',
  help: `usage: latchkey clients disable <file> <client> [--json]

Disables a client. It takes effect at once, in every process: the client is unknown to the authorization server, and its tokens are
refused.

${aboutFile}
<client> is its id.

  --json  prints { client_id }
  --help  this text

${exitCodes}`,
  async run(args) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: json })
    const { id, files } = readClient('clients disable', positionals)
    await withClients({ command: 'clients disable', files, isChange: true }, async (clients) => {
      await requireClient(clients, id)
      await clients.change('client.disabled', async () => {
        if (!(await clients.registry.disable(id))) throw unknownClient()
        return { clientId: id, result: null }
      })
    })
    const sentence = `${id} is disabled. Its tokens are refused.`
    return { text: `${values.json ? JSON.stringify({ client_id: id }) : sentence}\n`, exitCode: 0 }
  },
}

/** `latchkey clients rotate-secret <file> <client>` */
const rotateSecretCommand: Command = {
  name: 'clients rotate-secret',
  summary: 'replace the secret of a client',
  help: `usage: latchkey clients rotate-secret <file> <client>

Replaces the secret of a client and prints one line of JSON: { client_id, client_secret }. The secret is shown only once, and the
old one is refused from now on. Tokens of the client stay valid.

${aboutFile}
<client> is its id.

  --json  prints the same
  --help  this text

${exitCodes}`,
  async run(args) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: json })
    const { id, files } = readClient('clients rotate-secret', positionals)
    const work = { command: 'clients rotate-secret', files, isChange: true }
    const issued = await withClients(work, async (clients) => {
      await requireClient(clients, id)
      return clients.change('client.secret-replaced', async () => {
        const result = await clients.registry.rotateSecret(id)
        if (result) return { clientId: id, result }
        throw new CommandFailure('The client has no secret: it authenticates in another way.', { exitCode: 1 })
      })
    })
    return { text: describeIssued(issued), exitCode: 0 }
  },
}

/** No client is named like a file: its id is missing. */
function readClient(
  command: string,
  given: readonly string[],
): { readonly id: string; readonly files: readonly string[] } {
  const id = given.at(-1)
  if (id !== undefined && given.length <= 2 && !(given.length === 1 && /\.[cm]?[jt]s$/.test(id))) {
    return { id, files: given.slice(0, -1) }
  }
  throw new CommandFailure(`latchkey ${command}: the file that exports your server and one client are required.`, {
    exitCode: 2,
    next: `See: latchkey ${command} --help`,
  })
}

/** @throws CommandFailure before anything is written. */
async function requireClient({ has }: ServiceClients, id: string): Promise<void> {
  if (!(await has(id))) throw unknownClient()
}

function unknownClient(): CommandFailure {
  return new CommandFailure('The client does not exist.', { exitCode: 1 })
}

export const clientsCommands: readonly Command[] = [
  listCommand,
  createCommand,
  disableCommand,
  rotateSecretCommand,
  ...blockCommands,
]
