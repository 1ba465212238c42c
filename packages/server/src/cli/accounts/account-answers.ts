import type { Account } from '@latchkey/accounts'
import { CommandFailure } from '../command-failure.ts'
import type { CommandServer } from '../import-server.ts'
import type { CommandAnswer } from '../run-command.ts'

/** For the help of the commands. */
export const exitCodes = `Exit code
  0  done
  1  refused, the account or role does not exist, the stores do not answer, or the file cannot be imported
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\``

/** The output of `--json`. */
export const jsonAccount = '{ id, email, name, roles, status }'
export const failure = 'The accounts could not be read or changed.'
export const json = { json: { type: 'boolean' } } as const

/** Roles that change are read from their store when the service opens. @throws CommandFailure for one that does not exist. */
export function requireRoles({ access: { policy } }: CommandServer, roles: readonly string[]): void {
  const known = Object.keys(policy.currentRoles())
  const unknown = roles.find((role) => !known.includes(role))
  if (unknown === undefined) return
  throw new CommandFailure(`"${unknown}" is not a role of the policy.`, {
    exitCode: 1,
    next: `Its roles: ${known.join(', ')}`,
  })
}

export function misused(command: string, problem: string): CommandFailure {
  return new CommandFailure(`latchkey ${command}: ${problem}.`, {
    exitCode: 2,
    next: `See: latchkey ${command} --help`,
  })
}

export function answerWith(account: Account, values: { readonly json?: boolean }, sentence: string): CommandAnswer {
  return { text: values.json ? toJson(account) : `${sentence}\n`, exitCode: 0 }
}

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
