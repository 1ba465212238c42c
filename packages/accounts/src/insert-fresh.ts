import { type RecordStore, type StoredRecord, StoreError } from '@latchkey/store'

/**
 * Stores a record under a key that was just drawn at random. The record has no owner, so it is not in the list of the
 * account's sessions; the epoch of the account invalidates it.
 *
 * @throws StoreError `STORE_UNAVAILABLE` if the key is taken: 128 random bits do not collide, so the store is broken.
 */
export async function insertFresh(
  records: Pick<RecordStore, 'insert'>,
  record: Pick<StoredRecord, 'key' | 'expiresAt' | 'value'>,
): Promise<void> {
  if (await records.insert({ ...record, owner: null })) return
  throw new StoreError('STORE_UNAVAILABLE', 'the store refused a key that was never used')
}
