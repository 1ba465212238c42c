import { type RecordStore, type StoredRecord, StoreError } from '@latchkey/store'

/**
 * Stores what lets an account go on, under a key that was drawn for it. The record has no owner: what an account has open is
 * listed and removed by its owner, and the epoch of the account voids this.
 *
 * @throws StoreError `STORE_UNAVAILABLE` where the key is taken: 128 random bits do not collide, so the store does not work.
 */
export async function insertFresh(
  records: Pick<RecordStore, 'insert'>,
  record: Pick<StoredRecord, 'key' | 'expiresAt' | 'value'>,
): Promise<void> {
  if (await records.insert({ ...record, owner: null })) return
  throw new StoreError('STORE_UNAVAILABLE', 'the store refused a key that was never used')
}
