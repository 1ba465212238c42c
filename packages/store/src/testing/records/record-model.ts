import type { NewRecord, RecordStore, StoredRecord } from '../../record-store.ts'
import { type OwnedModel, ownedModel } from '../history/owned-model.ts'

/** One record of the contract. Its lifetime is longer than a test, so that expiry plays no part. */
export const recordModel: OwnedModel<StoredRecord> = ownedModel({
  methods: ['insert', 'get', 'replace', 'touch', 'remove', 'removeByOwner'],
  nameOf({ method, input: [first] }) {
    if (method === 'removeByOwner') return null
    return typeof first === 'string' ? first : (first as StoredRecord).key
  },
  changed(record, { method, input }) {
    if (method === 'insert') return record === null && { ...(input[0] as NewRecord), version: 1 }
    if (record === null) return false
    if (method === 'remove') return null
    if (method === 'touch') return { ...record, expiresAt: Number(input[1]) }
    const [{ version }, { value, expiresAt }] = input as Parameters<RecordStore['replace']>
    return record.version === version && { ...record, value, expiresAt, version: version + 1 }
  },
  isLeft: ({ key }, options) => (options as { readonly except?: string } | undefined)?.except === key,
})
