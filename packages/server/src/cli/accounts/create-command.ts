import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { parseArgs } from 'node:util'
import { type Account, type AccountsEvent, isAccountsError } from '@latchkey/accounts'
import { explainRefusal } from '../../schema/explain-refusal.ts'
import { commandAttempt } from '../command-attempt.ts'
import { CommandFailure } from '../command-failure.ts'
import { aboutFile, type CommandServer, withServer } from '../import-server.ts'
import type { Command } from '../run-command.ts'
import { answerWith, exitCodes, failure, json, jsonAccount, misused, requireRoles } from './account-answers.ts'
import { readPassword } from './read-password.ts'

const name = 'accounts create'

/** `latchkey accounts create <file> --email <email>` */
export const createCommand: Command = {
  name,
  summary: 'create an account that can sign in at once, such as the first administrator',
  help: `usage: latchkey ${name} <file> --email <email> --role <role> [--role <role>] [--name <name>] [--invite] [--json]

Creates an account that can sign in at once. No mail is sent: make sure that the address belongs to the person. The command asks
for the password twice and does not show it; without a terminal it reads the password as one line of standard input. A password
is never an argument, and the password policy of the service applies to it.

With --invite it asks for no password: the person gets a mail with a link to choose one.

  latchkey ${name} server.ts --email ada@example.com --role ADMIN
  pass show ada | latchkey ${name} server.ts --email ada@example.com --role ADMIN
  latchkey ${name} server.ts --email ada@example.com --name Ada --role READER --invite

${aboutFile}

  --email <email> the address; it may also follow <file> without --email
  --role <role>   a role of the policy; may be repeated
  --name <name>   the name of the person; default: the part of the address before the @
  --invite        no password: the person chooses one with the link of a mail
  --json          prints ${jsonAccount}
  --help          this text

${exitCodes}`,
  async run(args, note) {
    const { files, email, roles, name: given, isInvited, values } = readArguments(args)
    const who = { email, name: given ?? email.split('@', 1)[0] ?? '', roles }
    const work = { command: name, files, failure, changes: 'accounts' } as const
    const account = await withServer(work, async (server) => {
      await server.open()
      requireRoles(server, roles)
      if (isInvited) return invite(server, who)
      note('No mail is sent, and the address is not verified.')
      return createWith(server, { ...who, password: await readPassword() })
    })
    const held = account.roles.join(', ')
    const sentence = isInvited
      ? `${account.id} has the role ${held}, and got a mail to choose a password.`
      : `${account.id} can sign in with the role ${held}.`
    return answerWith(account, values, sentence)
  },
}

interface Asked {
  readonly files: readonly string[]
  readonly email: string
  readonly roles: readonly string[]
  readonly name: string | undefined
  readonly isInvited: boolean
  readonly values: { readonly json?: boolean }
}

/** @throws CommandFailure for wrong usage. */
function readArguments(args: readonly string[]): Asked {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...json, role: { ...text, multiple: true }, name: text, email: text, invite: { type: 'boolean' } },
  })
  const { role: roles = [] } = values
  const files = values.email === undefined ? positionals.slice(0, -1) : positionals
  const email = values.email ?? positionals.at(-1)
  if (email === undefined || files.length > 1) throw misused(name, 'one address is required')
  if (roles.length === 0) throw misused(name, '--role is required')
  return { files, email, roles, name: values.name, isInvited: values.invite === true, values }
}

interface NewAccount {
  readonly email: string
  readonly name: string
  readonly roles: readonly string[]
  /** `null`: a mail lets the person choose one. */
  readonly password: string | null
}

/**
 * Waits for the mail, because its failure is reported only as an event, and the person would not learn of the account.
 */
async function invite(server: CommandServer, who: Omit<NewAccount, 'password'>): Promise<Account> {
  let failed: string | null = null
  const onEvent = (message: unknown): void => {
    const event = message as AccountsEvent
    if (event.type === 'mail.failed') failed = event.failure
  }
  subscribe('latchkey:event', onEvent)
  try {
    const account = await createWith(server, { ...who, password: null })
    await (await server.accounts()).settled()
    if (failed === null) return account
    throw new CommandFailure(`The account was created, and its mail could not be sent: ${failed}.`, {
      exitCode: 1,
      next: 'When mails work again, the person can request a password reset.',
    })
  } finally {
    unsubscribe('latchkey:event', onEvent)
  }
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
