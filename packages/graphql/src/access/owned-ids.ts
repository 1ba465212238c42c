import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { SealedRequest } from './sealed-request.ts'

/** The ids of resources that must be owned. `null`: there is no resource, or it has no id. */
export interface OwnedIds {
  readonly of: string
  readonly ids: readonly string[] | null
}

/** Only accounts own resources. A client with the same id is another subject. */
export function ownerSubject(identity: Identity | null): string | null {
  return identity?.kind === 'account' ? identity.subject : null
}

/** Whether the identity owns a loaded resource; `false` for a resource without an owner. */
export function ownsResource(policy: AnyPolicy, of: string, owned: unknown, identity: Identity | null): boolean {
  const subject = ownerSubject(identity)
  return subject !== null && policy.ownerOf(of, owned) === subject
}

/** Whether all owners are known and equal to the identity of the request. */
export function ownsAll(asked: readonly OwnedIds[], { identity, owners }: SealedRequest): boolean {
  const subject = ownerSubject(identity)
  if (subject === null) return false
  return asked.every(({ of, ids }) => ids?.every((id) => owners.known(of, id) === subject) ?? false)
}

/** Loads the owners of all resources in one batch for each kind. */
export async function loadOwners(asked: readonly OwnedIds[], { owners }: SealedRequest): Promise<void> {
  await Promise.all(asked.map(({ of, ids }) => owners.load(of, ids ?? [])))
}
