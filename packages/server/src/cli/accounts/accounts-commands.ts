import { parseArgs } from 'node:util'
import type { Account } from '@latchkey/accounts'
import { commandAttempt } from '../command-attempt.ts'
import { CommandFailure } from '../command-failure.ts'
import { aboutFile, type CommandServer, withServer } from '../import-server.ts'
import type { Command } from '../run-command.ts'
import { toTable } from '../to-table.ts'
import { withAccount } from '../with-account.ts'
import { answerWith, exitCodes, failure, json, jsonAccount, misused, requireRoles, toJson } from './account-answers.ts'
import { createCommand } from './create-command.ts'

/** `latchkey accounts list <file>` */
const listCommand: Command = {
  name: 'accounts list',
  summary: 'all accounts with their roles',
  help: `usage: latchkey accounts list <file> [--json]

Prints all accounts: id, address, name, roles and status, never a password or its hash.

${aboutFile}

  --json  prints a list of ${jsonAccount}
  --help  this text

${exitCodes}`,
  async run(args) {
    const { values, positionals: files } = parseArgs({ args: [...args], allowPositionals: true, options: json })
    const accounts = await withServer({ command: 'accounts list', files, failure }, listAll)
    return { text: values.json ? toJson(accounts) : describeAccounts(accounts), exitCode: 0 }
  },
}

async function listAll(server: CommandServer): Promise<readonly Account[]> {
  const accounts = await server.accounts()
  const all: Account[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await accounts.list(cursor === undefined ? {} : { cursor })
    all.push(...page.items)
    cursor = page.cursor
  }
  return all
}

const revoked = 'Its sessions and tokens are revoked.'

/** `latchkey accounts set-role <file> <account> <role>` */
const setRoleCommand: Command = {
  name: 'accounts set-role',
  summary: 'set the role of an account, and revoke its sessions',
  help: `usage: latchkey accounts set-role <file> <account> <role> [--json]

Replaces all roles of an account with one. It takes effect at once, in every process: its sessions and tokens are revoked, and its
owner must sign in again.

${aboutFile}
<account> is its id or its e-mail address.

  --json  prints ${jsonAccount}
  --help  this text

${exitCodes}`,
  async run(args) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: json })
    const role = positionals.at(-1)
    if (role === undefined || positionals.length < 2) {
      throw misused('accounts set-role', 'an account and a role are required')
    }
    const account = await administer('accounts set-role', positionals.slice(0, -1), (server, id) => {
      requireRoles(server, [role])
      return server.accounts().then((accounts) => accounts.setRoles({ id, roles: [role], attempt: commandAttempt }))
    })
    return answerWith(account, values, `${account.id} has the role ${role}. ${revoked}`)
  },
}

interface StatusCommand {
  readonly verb: 'disable' | 'enable' | 'lock' | 'unlock' | 'reset-factors'
  readonly change: 'disable' | 'enable' | 'lockAccount' | 'unlockAccount' | 'resetFactors'
  readonly summary: string
  readonly explanation: string
  readonly done: string
  /** The status that the account must have afterwards. Omitted: any. */
  readonly becomes?: Account['status']
}

/** `latchkey accounts disable <file> <account>`, `enable` and `reset-factors` */
function createStatusCommand({ verb, change, summary, explanation, done, becomes }: StatusCommand): Command {
  const name = `accounts ${verb}`
  return {
    name,
    summary,
    help: `usage: latchkey ${name} <file> <account> [--json]

${explanation}

${aboutFile}
<account> is its id or its e-mail address.

  --json  prints ${jsonAccount}
  --help  this text

${exitCodes}`,
    async run(args) {
      const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: json })
      const account = await administer(name, positionals, async (server, id) => {
        const accounts = await server.accounts()
        return accounts[change]({ id, attempt: commandAttempt })
      })
      if (becomes !== undefined && account.status !== becomes) throw leftAsItIs(account)
      return answerWith(account, values, `${account.id} ${done}`)
    },
  }
}

/** A disabled account cannot be locked, and a locked account cannot be enabled. */
function leftAsItIs({ status }: Account): CommandFailure {
  return new CommandFailure(`The account is still ${status}.`, { exitCode: 1, next: 'Nothing was changed.' })
}

async function administer(
  command: string,
  given: readonly string[],
  change: (server: CommandServer, id: string) => Promise<Account | null>,
): Promise<Account> {
  const account = await withAccount({ command, given, failure, changes: 'accounts' }, (server, { id }) =>
    change(server, id),
  )
  if (account) return account
  throw new CommandFailure('The account does not exist.', { exitCode: 1 })
}

function describeAccounts(accounts: readonly Account[]): string {
  if (accounts.length === 0) return 'There are no accounts yet: latchkey accounts create creates the first one.\n'
  const rows = accounts.map(({ id, email, name, roles, status }) => [id, email, name, roles.join(', '), status])
  return toTable(['Account', 'Email', 'Name', 'Roles', 'Status'], rows)
}

export const accountsCommands: readonly Command[] = [
  listCommand,
  createCommand,
  setRoleCommand,
  createStatusCommand({
    verb: 'lock',
    change: 'lockAccount',
    summary: 'lock an account, revoke its sessions, and notify its owner',
    explanation: `Locks an active account, and sends its owner a mail. It takes effect at once, in every process: its sessions and tokens are revoked,
and nobody can sign in to it until it is unlocked.`,
    done: `is locked. ${revoked}`,
    becomes: 'locked',
  }),
  createStatusCommand({
    verb: 'unlock',
    change: 'unlockAccount',
    summary: 'let a locked account sign in again',
    explanation: 'Lets a locked account sign in again. Its revoked sessions and tokens stay revoked.',
    done: 'is unlocked.',
    becomes: 'active',
  }),
  createStatusCommand({
    verb: 'disable',
    change: 'disable',
    summary: 'disable an account, and revoke its sessions',
    explanation: `Disables an account. It takes effect at once, in every process: its sessions and tokens are revoked, and nobody can sign in to it
until it is enabled again.`,
    done: `is disabled. ${revoked}`,
    becomes: 'disabled',
  }),
  createStatusCommand({
    verb: 'enable',
    change: 'enable',
    summary: 'let a disabled account sign in again',
    explanation: 'Lets a disabled account sign in again. Its revoked sessions and tokens stay revoked.',
    done: 'is enabled.',
    becomes: 'active',
  }),
  createStatusCommand({
    verb: 'reset-factors',
    change: 'resetFactors',
    summary: 'remove the second factors of an account and its links to providers',
    explanation: `Removes every second factor, every recovery code and every link to a provider of an account, for an owner who has lost them or
whose account was taken over. Until new ones are set up, the password alone signs in; without a password, its owner sets one with a
reset by mail. Make sure that the owner asks for it. Its sessions and tokens are revoked, and the owner gets a mail.`,
    done: `has no second factors and no links to providers. ${revoked}`,
  }),
]
