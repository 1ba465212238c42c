import { canonicalEmail, type StoredAccount } from '@latchkey/accounts'
import { CommandFailure } from './command-failure.ts'
import { type CommandServer, type ServerWork, withServer } from './import-server.ts'

export interface AccountWork extends Omit<ServerWork, 'files'> {
  /** The arguments: an account, after a file if package.json does not name it. */
  readonly given: readonly string[]
}

/**
 * Opens the service, and runs the work with it and the account of the arguments.
 *
 * @throws CommandFailure as `withServer` does, and if the account does not exist.
 */
export async function withAccount<Result>(
  { given, ...options }: AccountWork,
  work: (server: CommandServer, account: StoredAccount) => Promise<Result>,
): Promise<Result> {
  const account = given.at(-1)
  if (account === undefined || given.length > 2 || (given.length === 1 && isScript(account))) {
    const { command } = options
    throw new CommandFailure(`latchkey ${command}: the file that exports your server and one account are required.`, {
      exitCode: 2,
      next: `See: latchkey ${command} --help`,
    })
  }
  return withServer({ ...options, files: given.slice(0, -1) }, async (server) => {
    await server.open()
    return work(server, await findAccount(server, account))
  })
}

/** No account is named like a file: its id is missing. */
function isScript(text: string): boolean {
  return /\.[cm]?[jt]s$/.test(text)
}

/** Tells an address from an id by its `@`. */
async function findAccount({ stores: { accounts } }: CommandServer, idOrEmail: string): Promise<StoredAccount> {
  const email = idOrEmail.includes('@') ? canonicalEmail(idOrEmail) : null
  const found = email === null ? await accounts.get(idOrEmail) : await accounts.getByEmail(email)
  if (found) return found
  throw new CommandFailure('The account does not exist.', { exitCode: 1, next: 'Use its id or its e-mail address.' })
}
