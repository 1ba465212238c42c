import type { Kept } from '../platform/open-storage.ts'

/** A sign-out that the service does not know of yet. */
export interface SignOut {
  /** The time of the last proof of the sign-in to revoke; absent: not known. */
  readonly at?: string
  /** The user; absent: not known. */
  readonly id?: string
  readonly everywhere: boolean
}

/** Returns the sign-out that waits to be sent. */
export function readOut(kept: Kept): SignOut | null {
  return JSON.parse(kept.get('out') ?? 'null')
}
