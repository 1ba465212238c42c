import type { DocumentStore } from '@latchkey/store'
import { type CollectionItem, createCollection, defineStoredShape, isStoredCount } from '@latchkey/store/internal'
import type { RoleDefinition } from './policy-definition.ts'

/** All stored roles under one revision, so that a change is checked as a whole. */
export interface RoleRevision {
  /** From 1; incremented by each change. 0: no roles are stored. */
  readonly revision: number
  readonly roles: RoleDocument
}

/** Role → inherited roles and permissions. The policy checks the names. */
export type RoleDocument = Readonly<Record<string, RoleDefinition<string, string>>>

/** The roles in a document store: one document, so that all of them change at once. */
export interface StoredRoles {
  read(): Promise<ReadRoles>
  /** Stores the roles as the revision after the one that was read: true for exactly one caller. */
  replace(current: ReadRoles, roles: RoleDocument): Promise<boolean>
}

/** Roles as they were read. */
export interface ReadRoles extends RoleRevision {
  readonly item: CollectionItem<RoleRevision> | null
}

const shape = defineStoredShape<RoleRevision>({
  name: 'set of roles',
  members: { revision: isStoredCount, roles: () => true },
})
const id = 'current'

export function openStoredRoles(documents: DocumentStore, storedVersion: () => number): StoredRoles {
  const collection = createCollection({ documents, name: 'roles', shape, storedVersion })
  return {
    async read() {
      const item = await collection.get(id)
      return { revision: item?.value.revision ?? 0, roles: item?.value.roles ?? {}, item }
    },
    async replace({ revision, item }, roles) {
      const next = { revision: revision + 1, roles }
      return (await (item ? collection.replace(item, next) : collection.insert(id, null, next))) !== null
    },
  }
}
