import { createMemoryAuditStore, type StoredAuditRow, StoreError } from '@latchkey/store'

/** A store that fails while it is down. */
export function createFailingStore() {
  const sound = createMemoryAuditStore()
  const state = { isDown: false }
  const outage = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down'))
  const append = (rows: readonly StoredAuditRow[]) => (state.isDown ? outage() : sound.append(rows))
  return { state, store: { ...sound, append } }
}
