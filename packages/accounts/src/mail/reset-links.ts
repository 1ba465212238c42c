import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { RecordStore } from '@latchkey/store'
import { defineStoredShape, isStoredCount, isStoredText } from '@latchkey/store/internal'
import type { Links } from './links.ts'

/** The account of a link. The link is valid only for the epoch in which it was requested. */
export interface ResetTarget {
  readonly id: string
  readonly epoch: number
}

/** The links with which an account gets a password. They belong to the address, not to the sessions of the account. */
export interface ResetLinks {
  /** Stores a link and returns its URL. */
  create(email: string, target: ResetTarget): Promise<string>
  /** Returns the target of a token and leaves it usable; `null` if the token is not valid. */
  read(token: string): Promise<ResetTarget | null>
  /** Removes every link of an address that is valid for that epoch, and keeps links of later epochs. */
  endAll(email: string, epoch: number): Promise<void>
}

const shape = defineStoredShape<ResetTarget>({
  name: 'reset link',
  members: { id: isStoredText, epoch: isStoredCount },
})

export function createResetLinks(records: RecordStore, links: Links, writes: () => number): ResetLinks {
  return {
    async create(email, { id, epoch }) {
      const value = shape.format({ id, epoch }, writes())
      return (await links.create({ owner: ownerOf(email, epoch), value })).url
    },
    async read(token) {
      const link = await links.read(token)
      return link && shape.parse(link.value)
    },
    async endAll(email, epoch) {
      await records.removeByOwner(ownerOf(email, epoch))
    },
  }
}

function ownerOf(email: string, epoch: number): string {
  return `reset_${encodeBase64url(sha256(`${epoch} ${email}`))}`
}
