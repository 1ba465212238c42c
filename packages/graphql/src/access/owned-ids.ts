import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { SealedRequest } from './sealed-request.ts'

/** What must be owned: the resources with these ids; `null`: there is none, or none that has an id. */
export interface OwnedIds {
  readonly of: string
  readonly ids: readonly string[] | null
}

/** Who can own things: an account. A client with the same id is somebody else. */
export function ownerSubject(identity: Identity | null): string | null {
  return identity?.kind === 'account' ? identity.subject : null
}

/** Whether a resource in hand is owned; nobody's is not. */
export function ownsResource(policy: AnyPolicy, of: string, owned: unknown, identity: Identity | null): boolean {
  const subject = ownerSubject(identity)
  return subject !== null && policy.ownerOf(of, owned) === subject
}

/** Whether all of it is known to be owned by whoever asks. */
export function ownsAll(asked: readonly OwnedIds[], { identity, owners }: SealedRequest): boolean {
  const subject = ownerSubject(identity)
  if (subject === null) return false
  return asked.every(({ of, ids }) => ids?.every((id) => owners.known(of, id) === subject) ?? false)
}

/** Asks for the owners of all of it together. */
export async function loadOwners(asked: readonly OwnedIds[], { owners }: SealedRequest): Promise<void> {
  await Promise.all(asked.map(({ of, ids }) => owners.load(of, ids ?? [])))
}
