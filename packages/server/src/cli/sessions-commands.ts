import { parseArgs } from 'node:util'
import type { ListedSession } from '@latchkey/sessions'
import { commandAttempt } from './command-attempt.ts'
import { CommandFailure } from './command-failure.ts'
import { aboutFile } from './import-server.ts'
import type { Command } from './run-command.ts'
import { toTable } from './to-table.ts'
import { withAccount } from './with-account.ts'

const theRest = `${aboutFile}
<account> is the id of an account, or its e-mail address. No credential is printed: an id grants no access.`

const exitCodes = `Exit code
  0  done
  1  the account or session does not exist, the stores do not answer, or the file cannot be imported
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\``

const failure = 'The sessions could not be read or revoked.'

/** `latchkey sessions list <file> <account>` */
const listCommand: Command = {
  name: 'sessions list',
  summary: 'the open sessions of one account',
  help: `usage: latchkey sessions list <file> <account> [--json]

Prints the open sessions of an account, the last used first: sessions of browsers and refresh tokens of applications. A session
that the authorization server has issued to a client names the client.

${theRest}

  --json  prints a list of { key, kind, clientId, createdAt, lastUsedAt, expiresAt, device }, times in epoch milliseconds
  --help  this text

${exitCodes}`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' } },
    })
    const sessions = await withAccount(
      { command: 'sessions list', given: positionals, failure },
      async (server, { id }) => (await server.accounts()).listSessions(id),
    )
    const rows = sessions.map(toRow)
    return { text: values.json ? `${JSON.stringify(rows, null, 2)}\n` : describeSessions(rows), exitCode: 0 }
  },
}

/** `latchkey sessions revoke <file> <account>` */
const revokeCommand: Command = {
  name: 'sessions revoke',
  summary: 'revoke the sessions of one account',
  help: `usage: latchkey sessions revoke <file> <account> [--session <id>] [--json]

Revokes all sessions and refresh tokens of an account, or one of them. It takes effect at once, also for access tokens. The
account can sign in again.

${theRest}

  --session <id>  revokes only the session with this id, which list prints
  --json          prints { revoked }, the number of revoked sessions
  --help          this text

${exitCodes}`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, session: { type: 'string' } },
    })
    const { session } = values
    const work = { command: 'sessions revoke', given: positionals, failure, changes: 'records' } as const
    const revoked = await withAccount(work, async (server, { id: subject }) => {
      const accounts = await server.accounts()
      const attempt = commandAttempt
      if (session === undefined) {
        return accounts.revokeAllSessions({ identity: { subject }, exceptCurrent: false, attempt })
      }
      if (await accounts.revokeSession({ subject, key: session, attempt })) return 1
      throw new CommandFailure('The account has no open session with this id.', {
        exitCode: 1,
        next: 'latchkey sessions list prints its open sessions.',
      })
    })
    const sentence = revoked === 1 ? '1 session ended.' : `${revoked} sessions ended.`
    return { text: `${values.json ? JSON.stringify({ revoked }) : sentence}\n`, exitCode: 0 }
  },
}

type PresentedSession = Pick<
  ListedSession,
  'key' | 'kind' | 'clientId' | 'createdAt' | 'lastUsedAt' | 'expiresAt' | 'device'
>

function toRow({ key, kind, clientId, createdAt, lastUsedAt, expiresAt, device }: ListedSession): PresentedSession {
  return { key, kind, clientId, createdAt, lastUsedAt, expiresAt, device }
}

function describeSessions(sessions: readonly PresentedSession[]): string {
  if (sessions.length === 0) return 'No sessions are open.\n'
  const time = (at: number): string => new Date(at).toISOString()
  const rows = sessions.map(({ key, kind, clientId, createdAt, lastUsedAt, expiresAt, device }) => {
    const of = clientId === null ? kind : `client ${clientId}`
    return [key, of, time(createdAt), time(lastUsedAt), time(expiresAt), device.address ?? '', device.userAgent ?? '']
  })
  return toTable(['Session', 'Kind', 'Opened', 'Last used', 'Expires', 'Address', 'Device'], rows)
}

export const sessionsCommands: readonly Command[] = [listCommand, revokeCommand]
