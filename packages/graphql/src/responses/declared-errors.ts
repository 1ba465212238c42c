import { checkOptionNames } from '@latchkey/core/internal'
import type { Access } from '../access-contract.ts'
import { type ErrorRow, errorTable, isAccessErrorCode } from './error-table.ts'

type DeclaredErrors = Access['errors']
type DeclaredError = NonNullable<ReturnType<DeclaredErrors['get']>>

const statuses = [200, 400, 402, 404, 409, 410, 412, 422, 451] as const

/** @throws TypeError naming the code that is not valid. */
export function readDeclaredErrors(given: object = {}): DeclaredErrors {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError('"errors" must be an object with an entry for each code')
  }
  const entries = Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1))
  return new Map(entries.map(([code, declared]) => [code, readDeclared(code, declared)]))
}

function readDeclared(code: string, given: unknown): DeclaredError {
  const path = `errors.${code}`
  if (!isName(code)) throw new TypeError(`"${path}": a code has letters, digits and "_", and begins with a letter`)
  const names = { status: true, expose: true } as const
  const { status, expose = [] } = checkOptionNames<Given>(`"${path}"`, given as Given, names)
  checkExposed(path, expose)
  if (!isAccessErrorCode(code)) return { status: readStatus(path, status), expose: Object.freeze([...expose]) }
  if (status !== undefined) throw new TypeError(`"${path}.status" is built in and cannot be changed`)
  if (silent.includes(code)) throw new TypeError(`"${path}" exposes nothing: its response is always the same`)
  return { status: 'built in', expose: Object.freeze([...expose]) }
}

interface Given {
  readonly status?: unknown
  readonly expose?: readonly string[]
}

const silent: readonly string[] = ['INVALID_CREDENTIALS', 'INTERNAL_SERVER_ERROR']

function readStatus(path: string, status: unknown = 200): number {
  const known = statuses.find((one) => one === status)
  if (known === undefined) throw new TypeError(`"${path}.status" must be ${statuses.join(', ')}`)
  return known
}

/** Details with a fixed meaning. Servers like GraphQL Yoga read `http`. */
const reserved: readonly string[] = [
  ...['code', 'id', 'reason', 'challenge', 'factors', 'maxAgeSeconds', 'retryAfterSeconds', 'policy', 'http'],
]

function checkExposed(path: string, expose: unknown): void {
  if (!Array.isArray(expose) || !expose.every(isName)) throw new TypeError(`"${path}.expose" must be a list of names`)
  const taken = expose.find((name) => reserved.includes(name))
  if (taken !== undefined) throw new TypeError(`"${path}.expose" must not have "${taken}", which is built in`)
  const repeated = expose.find((name, index) => expose.indexOf(name) !== index)
  if (repeated !== undefined) throw new TypeError(`"${path}.expose" repeats "${repeated}"`)
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[A-Za-z]\w{0,63}$/.test(name)
}

/** Returns the row of a code of the application; `null`: the code is built in. */
export function rowOfDeclared({ status }: DeclaredError): ErrorRow | null {
  if (status === 'built in') return null
  return status === 200 ? errorTable.BAD_USER_INPUT : { status, refuses: 'answer' }
}
