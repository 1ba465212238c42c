import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { RecordStore } from '@latchkey/store'
import type { Links } from './links.ts'

/** An account that waits for the proof of its address. It is kept in the record of the link, not among the accounts. */
export interface PendingAccount {
  readonly email: string
  readonly name: string
  /** `null`: there were several sign-ups for the address, so its owner chooses the password once it is proven. */
  readonly passwordHash: string | null
}

/** A sign-up that is kept, and the link that proves its address. */
export interface WaitingSignUp {
  readonly url: string
  /** Several sign-ups wait for the address: the link leads to an account without a password. */
  readonly isContested: boolean
}

/** The sign-ups that wait for the proof of an address. */
export interface PendingAccounts {
  /**
   * Keeps a sign-up. Where another one waits for the address, it is unknown which password is the owner's: all that have
   * one end, and this one is kept without. `null`, and it is not kept: as many of these as may wait already do.
   */
  add(asked: PendingAccount): Promise<WaitingSignUp | null>
  /** Returns what a token stands for and leaves it usable; `null` if it is not valid. */
  read(token: string): Promise<PendingAccount | null>
  /** Ends every sign-up of an address. */
  endAll(email: string): Promise<void>
}

/** How many mails, after the first one, an address gets that others sign up with. */
const contestedAtMost = 5

export function createPendingAccounts(records: RecordStore, links: Links): PendingAccounts {
  const create = (owner: string, pending: PendingAccount) => links.create({ owner, value: JSON.stringify(pending) })
  return {
    async add(asked) {
      const { single, contested } = ownersOf(asked.email)
      const { key, url } = await create(single, asked)
      // Insert, then list: of two at the same time, at least one sees the other. In this order: one that no longer is
      // among the single ones ended after another was kept as contested.
      const singles = await listKeys(records, single)
      const waiting = await listKeys(records, contested)
      if (waiting.length === 0 && singles.every((other) => other === key)) return { url, isContested: false }
      // Insert, then remove: a call in between sees one or the other.
      const isKept = waiting.length < contestedAtMost
      const kept = isKept ? await create(contested, { ...asked, passwordHash: null }) : null
      await records.removeByOwner(single)
      return kept && { url: kept.url, isContested: true }
    },
    async read(token) {
      const link = await links.read(token)
      return link && JSON.parse(link.value)
    },
    async endAll(email) {
      const { single, contested } = ownersOf(email)
      await Promise.all([records.removeByOwner(single), records.removeByOwner(contested)])
    },
  }
}

/**
 * The sign-ups of one address belong together before an account exists that could own them. Those without a password are
 * kept apart: otherwise one that ends the others would end what another one has just stored in their place.
 */
function ownersOf(email: string): { readonly single: string; readonly contested: string } {
  const digest = encodeBase64url(sha256(email))
  return { single: `pending_${digest}`, contested: `contested_${digest}` }
}

/** Expired records may be missing from a page, so only all pages together are complete. */
async function listKeys(records: RecordStore, owner: string): Promise<readonly string[]> {
  const keys: string[] = []
  let cursor: string | undefined
  do {
    const page = await records.listByOwner(owner, cursor === undefined ? {} : { cursor })
    keys.push(...page.items.map((record) => record.key))
    cursor = page.cursor
  } while (cursor !== undefined)
  return keys
}
