import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import type { AuditStore } from '@latchkey/store'
import { serviceOf } from '../../service/openable-service.ts'
import { CommandFailure } from '../command-failure.ts'
import { refuseMemory, type ServerWork, withServer } from '../import-server.ts'

/** The parts of an audit log that commands use. */
export interface StoredAudit {
  readonly store: AuditStore
  readonly secrets: SecretKeys
  readonly now: () => number
}

export interface AuditWork extends Omit<ServerWork, 'changes' | 'failure'> {
  /** Whether the work changes the log, which must be one that other processes see. */
  readonly isChange?: boolean
}

/**
 * Runs the work with the audit log of the service that a file exports.
 *
 * @throws CommandFailure as `withServer` does, and when the service has no audit log.
 */
export function withAudit<Result>(
  { isChange = false, ...work }: AuditWork,
  run: (audit: StoredAudit) => Promise<Result>,
): Promise<Result> {
  const failure = 'The audit log could not be read or changed.'
  return withServer({ ...work, failure }, async (server) => {
    const file = work.files[0] ?? 'the server'
    const service = serviceOf(server)
    const store = server.stores.audit
    if (service === null || store === undefined) {
      throw new CommandFailure(`The stores of ${file} have no audit log.`, {
        exitCode: 1,
        next: 'Pass stores with "audit" to createServer; those of @latchkey/sql have one.',
      })
    }
    if (isChange) await refuseMemory(file, [server.stores])
    // As the running service derives them.
    const secrets = deriveSecrets(await service.options.secrets.load(), 'audit')
    return run({ store, secrets, now: service.now })
  })
}

/** For the help of the commands. */
export const exitCodes = `Exit code
  0  done
  1  the audit log could not be read or changed, or the file cannot be imported
  2  wrong arguments: the file does not exist, an unknown option, the file exports no \`server\``
