import { type RecordStore, storeContract } from './record-store.ts'

/**
 * Returns the record store of an option: what every factory that takes one checks first.
 *
 * @param name the name of the option, for the message.
 * @throws TypeError when it is no record store, or implements another version of the contract than this release knows.
 *
 * @example
 * import { checkRecordStore, createMemoryRecordStore } from '@latchkey/store'
 * const options = { records: createMemoryRecordStore() }
 * const records = checkRecordStore(options.records, 'records')
 */
export function checkRecordStore(records: RecordStore, name: string): RecordStore {
  if (typeof records?.insert !== 'function') throw new TypeError(`"${name}" must be a record store`)
  const contract: unknown = records.capabilities?.contract
  if (contract !== storeContract || typeof records.now !== 'function') {
    throw new TypeError(
      `"${name}" must implement version ${storeContract} of the store contract: its "capabilities.contract" is ${contract}`,
    )
  }
  return records
}
