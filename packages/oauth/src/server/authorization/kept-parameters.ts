import { createOneTimeCredentials, type RecordStore } from '@latchkey/store'
import { defineStoredShape, type StoredShape, storedList } from '@latchkey/store/internal'
import { type Parameters, parametersFrom } from '../parameters/parameters.ts'

/** Stored parameters of requests. */
export interface KeptParameters {
  /** Stores parameters for `ttlSeconds`, and returns the credential that names them. */
  keep(parameters: Parameters): Promise<string>
  /** Returns parameters, which stay stored. */
  read(credential: string | null): Promise<Parameters | null>
  /** Returns parameters to exactly one caller, and removes them. */
  consume(credential: string | null): Promise<Parameters | null>
}

export interface KeptParametersOptions {
  readonly records: RecordStore
  readonly now: () => number
  readonly kind: string
  readonly ttlSeconds: number
  readonly storedVersion: () => number
}

interface KeptValue {
  readonly entries: readonly (readonly [name: string, value: string])[]
}

const isEntry = (entry: unknown): boolean =>
  Array.isArray(entry) && entry.length === 2 && entry.every((text) => typeof text === 'string')

export const parametersShape: StoredShape<KeptValue> = defineStoredShape<KeptValue>({
  name: 'parameters of a request',
  members: { entries: storedList(isEntry) },
})

export function createKeptParameters({ storedVersion, ...options }: KeptParametersOptions): KeptParameters {
  const kept = createOneTimeCredentials(options)
  const parametersOf = (found: { readonly value: string } | null) =>
    found && parametersFrom(parametersShape.parse(found.value).entries)
  return {
    async keep(parameters) {
      const value = parametersShape.format({ entries: parameters.entries }, storedVersion())
      return (await kept.create({ owner: null, value })).credential
    },
    read: async (credential) => parametersOf(await kept.read(credential)),
    consume: async (credential) => parametersOf(await kept.consume(credential)),
  }
}
