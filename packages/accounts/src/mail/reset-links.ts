import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { RecordStore, StoredRecord } from '@latchkey/store'
import type { BackgroundWork } from '../background-work.ts'
import type { Links } from './links.ts'

/** The account that a link is for. It is valid for the epoch in which it was requested, and for no later one. */
export interface ResetTarget {
  readonly id: string
  readonly epoch: number
}

/** The links with which an account gets a password. They belong to the address, not to the sessions of the account. */
export interface ResetLinks {
  /** Stores a link and returns its URL. `null`, and it is not kept: as many as may wait for the address already do. */
  ask(email: string, target: ResetTarget): Promise<string | null>
  /** Stores a link for an account that is about to be created, for which none can have been requested before. */
  create(email: string, target: ResetTarget): Promise<string>
  /** Returns what a token stands for and leaves it usable; `null` if it is not valid. */
  read(token: string): Promise<ResetTarget | null>
  /** Ends every link of an address. */
  endAll(email: string): Promise<void>
}

/** How many mails an address gets that others request (OWASP Forgot Password: limit submissions per account). */
const waitingAtMost = 5

export function createResetLinks(records: RecordStore, links: Links, background: BackgroundWork): ResetLinks {
  const store = (email: string, { id, epoch }: ResetTarget) => {
    const value = JSON.stringify({ id, epoch })
    return links.create({ owner: ownerOf(email), value }).then((link) => ({ ...link, value }))
  }
  return {
    async ask(email, target) {
      const link = await store(email, target)
      // Insert, then list: of any number at the same time, each sees those that were there before it.
      if (await isAmongFirst(records, ownerOf(email), link)) return link.url
      // After the answer, whose time would reveal it. A record that remains is a link whose token was never sent.
      background.run(
        async () => void (await records.remove(link.key)),
        () => undefined,
      )
      return null
    },
    create: async (email, target) => (await store(email, target)).url,
    async read(token) {
      const link = await links.read(token)
      return link && JSON.parse(link.value)
    },
    async endAll(email) {
      await records.removeByOwner(ownerOf(email))
    },
  }
}

function ownerOf(email: string): string {
  return `reset_${encodeBase64url(sha256(email))}`
}

/** Whether fewer than may wait were there before. Those of an earlier epoch are not valid and do not count. */
async function isAmongFirst(
  records: RecordStore,
  owner: string,
  { key, value }: { readonly key: string; readonly value: string },
): Promise<boolean> {
  const { items, cursor } = await records.listByOwner(owner)
  const own = items.find((record) => record.key === key)
  if (!own || cursor !== undefined) return false
  const isBefore = (other: StoredRecord) => other.expiresAt <= own.expiresAt && other.value.endsWith(value)
  return items.filter((other) => other !== own && isBefore(other)).length < waitingAtMost
}
