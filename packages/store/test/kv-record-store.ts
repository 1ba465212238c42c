// A complete example of a store of your own, on a key-value database with compare-and-swap.
import type { RecordStore, StoredRecord } from '@latchkey/store'

type Path = readonly string[] // as in Deno KV and FoundationDB; for etcd, NATS KV or DynamoDB the client joins the parts
export interface KvClient {
  get(path: Path): Promise<string | null>
  swap(path: Path, expected: string | null, next: string | null): Promise<boolean> // compare and swap; null: absent
  names(path: Path, after: string, limit: number): Promise<readonly string[]> // what lies below, sorted, greater than `after`
}
export function createKvRecordStore({
  client,
  now = Date.now,
}: {
  readonly client: KvClient
  readonly now?: () => number
}): RecordStore {
  const count = async (outcomes: Promise<boolean>[]) => (await Promise.all(outcomes)).filter(Boolean).length
  async function find(key: string, time = now()) {
    const text = await client.get(['record', key])
    const record: StoredRecord | null = text && JSON.parse(text)
    return text && record && record.expiresAt > time ? { record, text } : null
  }
  async function change(
    key: string,
    decide: (old: StoredRecord) => StoredRecord | 'erase' | 'leave',
    time?: number,
  ): Promise<boolean> {
    const found = await find(key, time)
    const next = found ? decide(found.record) : 'leave'
    if (!found || next === 'leave') return false // never creates
    const won = await client.swap(['record', key], found.text, next === 'erase' ? null : JSON.stringify(next))
    if (won && next === 'erase' && found.record.owner !== null)
      await client.swap(['owner', found.record.owner, key], '1', null)
    return won || change(key, decide, time) // another write came in between: look again
  }
  return {
    capabilities: { contract: 1, consistency: 'strong', nativeExpiry: false, expiryGranularityMs: 1 },
    now,
    async insert(record) {
      // the index before the record: it may list too much, never too little
      if (record.owner !== null) await client.swap(['owner', record.owner, record.key], null, '1')
      const old = await find(record.key, 0)
      if (old && old.record.expiresAt > now()) return false
      return client.swap(['record', record.key], old?.text ?? null, JSON.stringify({ ...record, version: 1 }))
    },
    get: async (key) => (await find(key))?.record ?? null,
    replace: ({ key, version }, next) =>
      change(key, (old) => (old.version === version ? { ...old, ...next, version: version + 1 } : 'leave')),
    touch: ({ key }, expiresAt) => change(key, (old) => ({ ...old, expiresAt })), // the owner comes along for an index scored by expiry
    remove: (key) => change(key, () => 'erase', 0), // whatever the clock says
    async listByOwner(owner, { limit = 100, cursor = '' } = {}) {
      const keys = await client.names(['owner', owner], cursor, limit)
      const found = await Promise.all(keys.map((key) => find(key)))
      const items = found.flatMap((one) => (one?.record.owner === owner ? [one.record] : []))
      return keys.length < limit ? { items } : { items, cursor: keys.at(-1) ?? '' }
    },
    async removeByOwner(owner, { except } = {}) {
      const keys = await client.names(['owner', owner], '', Infinity)
      return count(
        keys.map((key) => change(key, (old) => (old.owner === owner && key !== except ? 'erase' : 'leave'), 0)),
      )
    },
    async sweep(limit) {
      const time = now()
      let removed = 0
      for (const key of await client.names(['record'], '', Number.MAX_SAFE_INTEGER)) {
        if (removed === limit) break
        removed += await count([change(key, (old) => (old.expiresAt <= time ? 'erase' : 'leave'), 0)])
      }
      return removed
    },
  }
}
