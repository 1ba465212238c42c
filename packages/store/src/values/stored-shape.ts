import { checkOptionNames } from '@latchkey/core/internal'
import { isStoreError, StoreError } from '../errors.ts'
import type { StoredCheck } from './stored-checks.ts'

/**
 * The newest version of stored values that this release knows: it reads every version up to this one. It writes the
 * version before as long as a process that knows only that one may read what it writes.
 */
export const storedVersion = 2

/** A value with the version in which it was stored: omitted is 0, the shape of values without a version. */
export type Stored<Value extends object> = Value & { readonly v?: number }

export interface StoredShapeOptions<Value extends object> {
  /** The name of the stored values, for messages: `session`. */
  readonly name: string
  /** The check of each member. Members with other names are kept unchanged. */
  readonly members: { readonly [Name in keyof Value]-?: StoredCheck }
  /** Members that values of an older version lack: the version that introduced them, and their value before. */
  readonly added?: {
    readonly [Name in keyof Value]?: { readonly since: number; readonly before: Value[Name] }
  }
}

/** How values of one kind are written to a store and read from it. */
export interface StoredShape<Value extends object> {
  /**
   * Returns the value of a text from a store, including members that this release does not know: spread it, so that a
   * compare and swap keeps them.
   *
   * @throws StoreError `STORE_DATA_NEWER` for a version that this release does not know, `STORE_DATA_INVALID` for an
   * invalid value. Neither is a verdict about the stored data: answer 503.
   */
  parse(text: string): Stored<Value>
  /**
   * Returns the text to store, which starts with the version: `version`, or the version of the value if it is later.
   * Version 0 is written without a version.
   *
   * @throws StoreError `STORE_DATA_OLDER` if the version has no place for a member with a new value: the upgrade of the
   * stored values must be finished first.
   */
  format(value: Stored<Value>, version: number): string
}

/**
 * Defines how values of one kind are stored: read by a schema, with the version of their shape, and without losing what
 * a newer release has added.
 *
 * @throws TypeError when an option is unknown.
 */
export function defineStoredShape<Value extends object>(options: StoredShapeOptions<Value>): StoredShape<Value> {
  const { name } = checkOptionNames('defineStoredShape', options, { name: true, members: true, added: true })
  const checks = Object.entries<StoredCheck>(options.members)
  const added = Object.entries<Addition | undefined>(options.added ?? {}).flatMap(([member, addition]) =>
    addition ? [{ member, ...addition }] : [],
  )
  return {
    parse(text) {
      const value = parseObject(name, text)
      const version = readVersion(name, value)
      for (const { member, since, before } of added) if (version < since) value[member] ??= before
      for (const [member, check] of checks) {
        if (!check(value[member])) throw invalid(name, `"${member}" is not as it is stored`)
      }
      return value as Stored<Value>
    },
    format(value, version) {
      const { v = 0, ...members } = value as Stored<Record<string, unknown>>
      const written = Math.max(v, Math.min(version, storedVersion))
      for (const { member, since, before } of added) {
        if (since <= written) continue
        if (members[member] !== before) throw tooOld(name, member, since)
        delete members[member]
      }
      return JSON.stringify(written === 0 ? members : { v: written, ...members })
    },
  }
}

interface Addition {
  readonly since: number
  readonly before: unknown
}

function parseObject(name: string, text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's message quotes the text, which holds digests.
    throw invalid(name, 'it is not JSON')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw invalid(name, 'it is not an object')
}

function readVersion(name: string, { v = 0 }: Record<string, unknown>): number {
  if (typeof v !== 'number' || !Number.isSafeInteger(v) || v < 0) throw invalid(name, '"v" is not a version')
  if (v <= storedVersion) return v
  throw new StoreError(
    'STORE_DATA_NEWER',
    `a stored ${name} has version ${v}, and this release knows versions up to ${storedVersion}: it was written by a newer release`,
  )
}

/** Whether what is stored is no value of its kind, in any release. */
export function isInvalidData(error: unknown): boolean {
  return isStoreError(error) && error.code === 'STORE_DATA_INVALID'
}

function invalid(name: string, why: string): StoreError {
  return new StoreError('STORE_DATA_INVALID', `what is stored is no ${name}: ${why}`)
}

function tooOld(name: string, member: string, since: number): StoreError {
  return new StoreError(
    'STORE_DATA_OLDER',
    `a ${name} with "${member}" needs version ${since} of stored values: run "latchkey migrate --finish" once every process has this release`,
  )
}
