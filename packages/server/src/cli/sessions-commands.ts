import { parseArgs } from 'node:util'
import { canonicalEmail } from '@latchkey/accounts'
import type { ListedSession } from '@latchkey/sessions'
import { CommandFailure } from './command-failure.ts'
import { type CommandServer, withServer } from './import-server.ts'
import type { Command } from './run-command.ts'
import { toTable } from './to-table.ts'

const theRest = `<file> is the module, in JavaScript or TypeScript, that exports \`server\` (of createServer); <account> is the id of an
account, or its e-mail address. No credential is printed: an id opens nothing.`

const exitCodes = `Exit code
  0  done
  1  there is no such account or session, the stores do not answer, or the file cannot be imported
  2  the command was called wrongly: no such file, an unknown option, no \`server\` in it`

/** `latchkey sessions list <file> <account>` */
const listCommand: Command = {
  name: 'sessions list',
  summary: 'what one account has open',
  help: `usage: latchkey sessions list <file> <account> [--json]

Prints what an account has open, sessions of browsers and refresh tokens of applications alike, the last used first.

${theRest}

  --json  prints a list of { key, kind, createdAt, lastUsedAt, expiresAt, device }, times in epoch milliseconds
  --help  this text

${exitCodes}`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' } },
    })
    const sessions = await withAccount('sessions list', positionals, async (server, id) =>
      (await server.accounts()).listSessions(id),
    )
    const shown = sessions.map(toShown)
    return { text: values.json ? `${JSON.stringify(shown, null, 2)}\n` : describeSessions(shown), exitCode: 0 }
  },
}

/** `latchkey sessions revoke <file> <account>` */
const revokeCommand: Command = {
  name: 'sessions revoke',
  summary: 'end what one account has open',
  help: `usage: latchkey sessions revoke <file> <account> [--session <id>] [--json]

Ends everything that an account has open, or one session of it. It takes effect at once, access tokens included; the
account itself stays and can sign in again.

${theRest}

  --session <id>  ends this one only, by the id that list prints
  --json          prints { revoked }, how many ended
  --help          this text

${exitCodes}`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, session: { type: 'string' } },
    })
    const { session } = values
    const revoked = await withAccount('sessions revoke', positionals, async (server, subject) => {
      const accounts = await server.accounts()
      if (session === undefined) return accounts.revokeAllSessions({ identity: { subject }, exceptCurrent: false })
      if (await accounts.revokeSession({ subject, key: session })) return 1
      throw new CommandFailure('The account has no such session open.', {
        exitCode: 1,
        next: 'latchkey sessions list prints what it has open.',
      })
    })
    const sentence = revoked === 1 ? '1 session ended.' : `${revoked} sessions ended.`
    return { text: `${values.json ? JSON.stringify({ revoked }) : sentence}\n`, exitCode: 0 }
  },
}

async function withAccount<Result>(
  command: string,
  [file, account, ...others]: readonly string[],
  work: (server: CommandServer, id: string) => Promise<Result>,
): Promise<Result> {
  if (!account || others.length > 0) {
    throw new CommandFailure(`latchkey ${command}: give it the file that exports your server, and one account.`, {
      exitCode: 2,
      next: `See: latchkey ${command} --help`,
    })
  }
  const failure = 'The sessions could not be read or ended.'
  return withServer({ command, files: file === undefined ? [] : [file], failure }, async (server) => {
    await server.open()
    return work(server, await findAccount(server, account))
  })
}

/** An id has no @, and no address is without one. */
async function findAccount({ stores: { accounts } }: CommandServer, idOrEmail: string): Promise<string> {
  const email = idOrEmail.includes('@') ? canonicalEmail(idOrEmail) : null
  const found = email === null ? await accounts.get(idOrEmail) : await accounts.getByEmail(email)
  if (found) return found.id
  throw new CommandFailure('There is no such account.', { exitCode: 1, next: 'Give its id, or its e-mail address.' })
}

type ShownSession = Pick<ListedSession, 'key' | 'kind' | 'createdAt' | 'lastUsedAt' | 'expiresAt' | 'device'>

function toShown({ key, kind, createdAt, lastUsedAt, expiresAt, device }: ListedSession): ShownSession {
  return { key, kind, createdAt, lastUsedAt, expiresAt, device }
}

function describeSessions(sessions: readonly ShownSession[]): string {
  if (sessions.length === 0) return 'Nothing is open.\n'
  const time = (at: number): string => new Date(at).toISOString()
  const rows = sessions.map(({ key, kind, createdAt, lastUsedAt, expiresAt, device }) => {
    return [key, kind, time(createdAt), time(lastUsedAt), time(expiresAt), device.address ?? '', device.userAgent ?? '']
  })
  return toTable(['Session', 'Kind', 'Opened', 'Last used', 'Ends', 'Address', 'Device'], rows)
}

export const sessionsCommands: readonly Command[] = [listCommand, revokeCommand]
