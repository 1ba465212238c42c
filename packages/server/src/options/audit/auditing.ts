import { checkOptionNames } from '@latchkey/core/internal'

/** The option of `createServer` for a service whose decisions leave no trace, although its stores could keep one. */
export const allowUnaudited: unique symbol = Symbol('allowUnaudited')

/** Retention and checkpoints of the audit log. */
export interface AuditingOptions {
  /**
   * For how many days rows are kept, at least. Once a day older ones are removed, up to the last checkpoint among them.
   * @default 400
   */
  readonly retentionDays?: number
  /**
   * How long after a row at most a checkpoint is written.
   * @default 60
   */
  readonly checkpointSeconds?: number
  /**
   * Receives each checkpoint as text. Store it out of reach of users who can write to the database. Exceptions are
   * ignored. Omitted: checkpoints are in the database only, and `latchkey audit export` prints them.
   */
  readonly onCheckpoint?: (checkpoint: string) => unknown
}

/** The options with their defaults. */
export interface Auditing {
  readonly retentionDays: number
  readonly checkpointSeconds: number
  readonly onCheckpoint?: (checkpoint: string) => unknown
}

/** @throws TypeError that names what is unknown or cannot be used. */
export function readAuditing(given: AuditingOptions = {}): Auditing {
  const { onCheckpoint, ...rest } = checkOptionNames(
    'createServer',
    given,
    { retentionDays: true, checkpointSeconds: true, onCheckpoint: true },
    'audit',
  )
  if (onCheckpoint !== undefined && typeof onCheckpoint !== 'function') {
    throw new TypeError('"audit.onCheckpoint" must be a function')
  }
  return {
    retentionDays: readWhole('retentionDays', rest.retentionDays ?? 400, 36_500),
    checkpointSeconds: readWhole('checkpointSeconds', rest.checkpointSeconds ?? 60, 86_400),
    ...(onCheckpoint && { onCheckpoint }),
  }
}

function readWhole(name: keyof AuditingOptions, number: number, most: number): number {
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw new TypeError(`"audit.${name}" must be a whole number from 1 to ${most}`)
}
