import process from 'node:process'
import { parseArgs } from 'node:util'
import { type Accounts, isAccountsError } from '@latchkey/accounts'
import { commandAttempt } from './command-attempt.ts'
import { CommandFailure } from './command-failure.ts'
import { aboutFile, withServer } from './import-server.ts'
import type { Command } from './run-command.ts'
import { withAccount } from './with-account.ts'

type ApiKey = Awaited<ReturnType<Accounts['listApiKeys']>>[number]

const theRest = `${aboutFile}
Each line of the output is a JSON object, with times in ISO 8601.`

const exitCodes = `Exit code
  0  done
  1  the account or key does not exist, the input is refused, or the stores do not answer
  2  wrong arguments`

const failure = 'The API keys could not be read or changed.'

const options = {
  account: { type: 'string' },
  id: { type: 'string' },
  key: { type: 'string' },
  name: { type: 'string' },
  scope: { type: 'string', multiple: true },
  days: { type: 'string' },
} as const

/** `latchkey api-keys list <file> --account <account>` */
const listCommand: Command = {
  name: 'api-keys list',
  summary: 'the API keys of one account',
  help: `usage: latchkey api-keys list <file> --account <account>

Prints the API keys of an account that have not expired, the newest first:
{ id, name, start, scopes, createdAt, expiresAt, lastUsedAt }.

${theRest}

  --account <account>  the id of an account, or its e-mail address
  --help               this text

${exitCodes}`,
  async run(args) {
    const { account } = pick('account')
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { account } })
    const work = { command: 'api-keys list', given: [...positionals, required(values.account, 'account')], failure }
    const keys = await withAccount(work, async (server, { id }) => (await server.accounts()).listApiKeys(id))
    return { text: keys.map((key) => lineOf(key)).join(''), exitCode: 0 }
  },
}

/** `latchkey api-keys create <file> --account <account> --name <name> --scope <scope>` */
const createCommand: Command = {
  name: 'api-keys create',
  summary: 'create an API key for one account',
  help: `usage: latchkey api-keys create <file> --account <account> --name <name> --scope <scope>… [--days <days>]

Creates an API key, and prints what list prints and, only once, the key itself as \`key\`. The owner gets a mail.

${theRest}

  --account <account>  the id of an account, or its e-mail address
  --name <name>        1 to 64 characters
  --scope <scope>      a scope of \`accounts.apiKeys\` whose permissions the account has; repeat it for more
  --days <days>        the lifetime; default: 90, or \`accounts.apiKeys.maxDays\` if that is less
  --help               this text

${exitCodes}`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: pick('account', 'name', 'scope', 'days'),
    })
    const asked = {
      name: required(values.name, 'name'),
      scopes: required(values.scope, 'scope'),
      ...(values.days !== undefined && { expiresInDays: Number(values.days) }),
    }
    const given = [...positionals, required(values.account, 'account')]
    const work = { command: 'api-keys create', given, failure, changes: 'documents' } as const
    const created = await withAccount(work, async (server, { id: subject }) => {
      const accounts = await server.accounts()
      return accounts
        .createApiKey({ identity: { subject }, ...asked, attempt: commandAttempt })
        .catch(explain)
        .finally(() => accounts.settled())
    })
    if (!created.ok) throw new CommandFailure('The account is not active, or has just changed.', { exitCode: 1 })
    return { text: lineOf(created.apiKey, { key: created.key }), exitCode: 0 }
  },
}

/** `latchkey api-keys revoke <file> --key -` */
const revokeCommand: Command = {
  name: 'api-keys revoke',
  summary: 'revoke an API key, such as a leaked one',
  help: `usage: latchkey api-keys revoke <file> --key -
       latchkey api-keys revoke <file> --account <account> --id <id>

Revokes an API key at once, and prints { revoked: true }. A leaked key is read from the standard input, so that it appears in no
process list and no shell history.

${theRest}

  --key -              reads the key from the standard input
  --account <account>  the id of an account, or its e-mail address
  --id <id>            the id of its key, which list prints
  --help               this text

${exitCodes}`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: pick('account', 'id', 'key'),
    })
    const command = 'api-keys revoke'
    const isRevoked =
      values.key === undefined
        ? await withAccount(
            {
              ...{ command, failure, changes: 'documents' },
              given: [...positionals, required(values.account, 'account')],
            },
            async (server, { id: subject }) => {
              const id = required(values.id, 'id')
              return (await server.accounts()).revokeApiKey({ subject, id, attempt: commandAttempt }).catch(explain)
            },
          )
        : await withServer({ command, failure, changes: 'documents', files: positionals }, async (server) => {
            const key = await readKey(values.key)
            await server.open()
            return (await server.accounts()).revokeLeakedApiKey({ key, attempt: commandAttempt }).catch(explain)
          })
    if (isRevoked) return { text: `${JSON.stringify({ revoked: true })}\n`, exitCode: 0 }
    throw new CommandFailure('There is no such API key, or it was revoked before.', { exitCode: 1 })
  },
}

function pick<Name extends keyof typeof options>(...names: readonly Name[]): Pick<typeof options, Name> {
  return Object.fromEntries(names.map((name) => [name, options[name]])) as Pick<typeof options, Name>
}

function required<Value>(value: Value | undefined, name: string): Value {
  if (value !== undefined) return value
  throw new CommandFailure(`--${name} is required.`, { exitCode: 2, next: 'See: latchkey --help' })
}

function lineOf({ createdAt, expiresAt, lastUsedAt, ...key }: ApiKey, more: object = {}): string {
  const times = {
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }
  return `${JSON.stringify({ ...key, ...times, ...more })}\n`
}

/** Turns a refusal into a sentence without the input. */
function explain(error: unknown): never {
  if (!isAccountsError(error)) throw error
  const sentence = error.message.charAt(0).toUpperCase() + error.message.slice(1)
  throw new CommandFailure(`${sentence}.`, { exitCode: 1 })
}

const mostCharacters = 1024

/** Reads a key from standard input only, because every user of the machine can see arguments. */
async function readKey(from: string | undefined): Promise<string> {
  if (from !== '-') {
    throw new CommandFailure('--key takes - only: the key is read from the standard input.', { exitCode: 2 })
  }
  let text = ''
  for await (const chunk of process.stdin) {
    text += String(chunk)
    if (text.length > mostCharacters) break
  }
  return text.trim()
}

export const apiKeysCommands: readonly Command[] = [listCommand, createCommand, revokeCommand]
