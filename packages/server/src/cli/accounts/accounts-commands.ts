import { parseArgs } from 'node:util'
import { type Account, isAccountsError } from '@latchkey/accounts'
import { explainRefusal } from '../../accounts-schema/explain-refusal.ts'
import { commandAttempt } from '../command-attempt.ts'
import { CommandFailure } from '../command-failure.ts'
import { aboutFile, type CommandServer, withServer } from '../import-server.ts'
import type { Command, CommandAnswer } from '../run-command.ts'
import { toTable } from '../to-table.ts'
import { withAccount } from '../with-account.ts'
import { readPassword } from './read-password.ts'

const exitCodes = `Exit code
  0  done
  1  refused, the account or role does not exist, the stores do not answer, or the file cannot be imported
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\``

const jsonAccount = '{ id, email, name, roles, status }'
const failure = 'The accounts could not be read or changed.'
const json = { json: { type: 'boolean' } } as const

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

/** `latchkey accounts create <file> <email>` */
const createCommand: Command = {
  name: 'accounts create',
  summary: 'an account that can sign in at once, such as the first administrator',
  help: `usage: latchkey accounts create <file> <email> --role <role> [--role <role>] [--name <name>] [--json]

Creates an account that can sign in at once. No mail is sent: that the address belongs to the person is yours to know. The
password is asked for twice and not shown; without a terminal it is read from standard input. It is never an argument,
and the password policy of the service applies to it.

  latchkey accounts create server.ts ada@example.com --role ADMIN
  pass show ada | latchkey accounts create server.ts ada@example.com --role ADMIN

${aboutFile}

  --role <role>  a role of the policy; may be repeated
  --name <name>  what the person is called; default: the part of the address before the @
  --json         prints ${jsonAccount}
  --help         this text

${exitCodes}`,
  async run(args, note) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...json, role: { type: 'string', multiple: true }, name: { type: 'string' } },
    })
    const { role: roles = [] } = values
    const email = positionals.at(-1)
    if (email === undefined || positionals.length > 2) throw misused('accounts create', 'one address is required')
    if (roles.length === 0) throw misused('accounts create', '--role is required')
    const { name = email.split('@', 1)[0] ?? '' } = values
    const work = { command: 'accounts create', files: positionals.slice(0, -1), failure, changes: 'accounts' } as const
    const account = await withServer(work, async (server) => {
      await server.open()
      requireRoles(server, roles)
      note('No mail is sent, and the address is not verified.')
      return createWith(server, { email, name, roles, password: await readPassword() })
    })
    return answerWith(account, values, `${account.id} can sign in with ${account.roles.join(', ')}.`)
  },
}

interface NewAccount {
  readonly email: string
  readonly name: string
  readonly roles: readonly string[]
  readonly password: string
}

async function createWith(server: CommandServer, input: NewAccount): Promise<Account> {
  const accounts = await server.accounts()
  const account = await accounts.create({ ...input, attempt: commandAttempt }).catch((error: unknown) => {
    throw isAccountsError(error) ? new CommandFailure(explainRefusal(error), { exitCode: 1 }) : error
  })
  if (account) return account
  throw new CommandFailure('An account with this address exists.', {
    exitCode: 1,
    next: 'latchkey accounts set-role changes its role.',
  })
}

/** Roles that change are read from their store when the service opens. */
function requireRoles({ access: { policy } }: CommandServer, roles: readonly string[]): void {
  const known = Object.keys(policy.currentRoles())
  const unknown = roles.find((role) => !known.includes(role))
  if (unknown === undefined) return
  throw new CommandFailure(`"${unknown}" is not a role of the policy.`, {
    exitCode: 1,
    next: `Its roles: ${known.join(', ')}`,
  })
}

/** `latchkey accounts set-role <file> <account> <role>` */
const setRoleCommand: Command = {
  name: 'accounts set-role',
  summary: 'give an account another role, and end its sessions',
  help: `usage: latchkey accounts set-role <file> <account> <role> [--json]

Gives an account one role in place of those that it has. It takes effect at once, in every process: its sessions and tokens
end, and it signs in again.

${aboutFile} <account> is its id or its e-mail address.

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
    return answerWith(account, values, `${account.id} has the role ${role}. What it had open has ended.`)
  },
}

interface StatusCommand {
  readonly verb: 'disable' | 'enable' | 'reset-factors'
  readonly change: 'disable' | 'enable' | 'resetFactors'
  readonly summary: string
  readonly explanation: string
  readonly done: string
}

/** `latchkey accounts disable <file> <account>`, `enable` and `reset-factors` */
function createStatusCommand({ verb, change, summary, explanation, done }: StatusCommand): Command {
  const name = `accounts ${verb}`
  return {
    name,
    summary,
    help: `usage: latchkey ${name} <file> <account> [--json]

${explanation}

${aboutFile} <account> is its id or its e-mail address.

  --json  prints ${jsonAccount}
  --help  this text

${exitCodes}`,
    async run(args) {
      const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: json })
      const account = await administer(name, positionals, async (server, id) => {
        const accounts = await server.accounts()
        return accounts[change]({ id, attempt: commandAttempt })
      })
      return answerWith(account, values, `${account.id} ${done}`)
    },
  }
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

function misused(command: string, problem: string): CommandFailure {
  return new CommandFailure(`latchkey ${command}: ${problem}.`, {
    exitCode: 2,
    next: `See: latchkey ${command} --help`,
  })
}

function answerWith(account: Account, values: { readonly json?: boolean }, sentence: string): CommandAnswer {
  return { text: values.json ? toJson(account) : `${sentence}\n`, exitCode: 0 }
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function describeAccounts(accounts: readonly Account[]): string {
  if (accounts.length === 0) return 'There are no accounts yet: latchkey accounts create makes the first one.\n'
  const rows = accounts.map(({ id, email, name, roles, status }) => [id, email, name, roles.join(', '), status])
  return toTable(['Account', 'E-mail', 'Name', 'Roles', 'Status'], rows)
}

export const accountsCommands: readonly Command[] = [
  listCommand,
  createCommand,
  setRoleCommand,
  createStatusCommand({
    verb: 'disable',
    change: 'disable',
    summary: 'lock an account, and end its sessions',
    explanation: `Disables an account. It takes effect at once, in every process: its sessions and tokens end, and it cannot sign in until
it is enabled again.`,
    done: 'is disabled. What it had open has ended.',
  }),
  createStatusCommand({
    verb: 'enable',
    change: 'enable',
    summary: 'let a disabled account sign in again',
    explanation: 'Lets an account that was disabled sign in again. What it had open stays ended.',
    done: 'is enabled.',
  }),
  createStatusCommand({
    verb: 'reset-factors',
    change: 'resetFactors',
    summary: 'remove the second factors of an owner who has lost them',
    explanation: `Removes every second factor and every recovery code of an account, for an owner who has lost both: the password alone
signs in until new ones are set up. Be sure who asks for it. Its sessions and tokens end, and the owner gets a mail.`,
    done: 'has no second factors. What it had open has ended.',
  }),
]
