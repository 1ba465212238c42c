import { encodeBase64url, randomToken, sha256 } from '@latchkey/bytes'
import type { RecordStore, StoredRecord } from '@latchkey/store'
import {
  defineStoredShape,
  isStoredCount,
  isStoredFlag,
  isStoredText,
  overtaken,
  type StoredCheck,
  storedOrNull,
  storedOrOmitted,
  untilFirst,
} from '@latchkey/store/internal'
import type { Links } from './links.ts'

/** A change of address that was asked for. */
export interface AskedChange {
  /** Drawn for each request; both addresses of a request have the same value. */
  readonly change: string
  /** The mark of `ask`. The link can be confirmed only while the account has it. Omitted: an older release made none. */
  readonly mark?: string
  readonly accountId: string
  /** The link can be confirmed only in the epoch of its request. */
  readonly epoch: number
  /** The session or family of the request, which stays valid. */
  readonly key: string | null
  readonly from: string
  readonly to: string
  readonly since: number
  /** Whether the address that the account has must confirm as well. */
  readonly needsBoth: boolean
}

/** A link that confirms a change, for one of the two addresses. */
export interface ConfirmTarget extends AskedChange {
  readonly role: 'old' | 'new'
}

/** A link that undoes every change since then. */
export interface UndoTarget {
  readonly accountId: string
  readonly since: number
}

/** The links that change the address of an account, and undo the change. */
export interface EmailChangeLinks {
  /**
   * Marks the account as one that has requested a change, and returns the mark. What cancels the requests removes the mark, so a
   * link that is stored later, when its mail is written, is not valid.
   */
  ask(accountId: string): Promise<string>
  /** Returns a change to create links for. */
  draw(asked: Omit<AskedChange, 'change'>): AskedChange
  /** Stores a link and returns its URL. */
  createConfirm(target: ConfirmTarget): Promise<string>
  /** Returns the target of a token and leaves it usable; `null` if the token is not valid. */
  readConfirm(token: string): Promise<ConfirmTarget | null>
  /** Stores the confirmation of one address, as long as a link works. `true` for exactly one caller. */
  approve(target: ConfirmTarget): Promise<boolean>
  /** Removes an approval that led to no change. */
  takeBackApproval(target: ConfirmTarget): Promise<void>
  /** Whether the other address has confirmed. */
  isApprovedByOther(target: ConfirmTarget): Promise<boolean>
  createUndo(target: UndoTarget): Promise<string>
  readUndo(token: string): Promise<UndoTarget | null>
  /** Cancels every requested change of the address of an account, also one whose link is not stored yet. */
  endConfirms(accountId: string): Promise<void>
  /** Removes every link that confirms or undoes a change. */
  endAll(accountId: string): Promise<void>
}

const isRole: StoredCheck = (value) => value === 'old' || value === 'new'

const confirmShape = defineStoredShape<ConfirmTarget>({
  name: 'link of a change of address',
  members: {
    change: isStoredText,
    mark: storedOrOmitted(isStoredText),
    accountId: isStoredText,
    epoch: isStoredCount,
    key: storedOrNull(isStoredText),
    from: isStoredText,
    to: isStoredText,
    since: isStoredCount,
    needsBoth: isStoredFlag,
    role: isRole,
  },
})

const undoShape = defineStoredShape<UndoTarget>({
  name: 'link that undoes a change of address',
  members: { accountId: isStoredText, since: isStoredCount },
})

export interface EmailChangeLinksOptions {
  readonly records: RecordStore
  readonly confirms: Links
  readonly undos: Links
  /** How long the links that confirm work. */
  readonly ttlSeconds: number
  /** The longest time until the link of a request is stored. */
  readonly mailDelayMs: number
  readonly storedVersion: () => number
  readonly now: () => number
}

export function createEmailChangeLinks(options: EmailChangeLinksOptions): EmailChangeLinks {
  const { records, confirms, undos, ttlSeconds, mailDelayMs, storedVersion, now } = options
  const isValid = (record: StoredRecord | null): record is StoredRecord => record !== null && record.expiresAt > now()
  const endConfirms = async (accountId: string): Promise<void> =>
    void (await records.removeByOwner(confirmsOf(accountId)))
  return {
    ask: (accountId) =>
      untilFirst(async () => {
        const [key, owner] = [markOf(accountId), confirmsOf(accountId)]
        const expiresAt = now() + ttlSeconds * 1000 + 2 * mailDelayMs
        const found = await records.get(key)
        if (found) return (await records.touch(found, expiresAt)) ? found.value : overtaken
        const value = randomToken(16)
        return (await records.insert({ key, owner, expiresAt, value })) ? value : overtaken
      }),
    draw: (asked) => ({ ...asked, change: randomToken(16) }),
    async createConfirm(target) {
      const value = confirmShape.format(target, storedVersion())
      return (await confirms.create({ owner: confirmsOf(target.accountId), value })).url
    },
    async readConfirm(token) {
      const link = await confirms.read(token)
      const target = link && confirmShape.parse(link.value)
      if (target?.mark === undefined) return target
      const mark = await records.get(markOf(target.accountId))
      return isValid(mark) && mark.value === target.mark ? target : null
    },
    approve({ change, role }) {
      const expiresAt = now() + ttlSeconds * 1000
      return records.insert({ key: approvalOf(change, role), owner: null, expiresAt, value: '' })
    },
    async takeBackApproval({ change, role }) {
      await records.remove(approvalOf(change, role))
    },
    async isApprovedByOther({ change, role }) {
      return (await records.get(approvalOf(change, role === 'old' ? 'new' : 'old'))) !== null
    },
    async createUndo(target) {
      const value = undoShape.format(target, storedVersion())
      return (await undos.create({ owner: undosOf(target.accountId), value })).url
    },
    async readUndo(token) {
      const link = await undos.read(token)
      return link && undoShape.parse(link.value)
    },
    endConfirms,
    async endAll(accountId) {
      await endConfirms(accountId)
      await records.removeByOwner(undosOf(accountId))
    },
  }
}

// They belong to the change, not to the sessions of the account: what ends those leaves the link that undoes it.

function confirmsOf(accountId: string): string {
  return `change_${encodeBase64url(sha256(accountId))}`
}

function markOf(accountId: string): string {
  return `asked_${encodeBase64url(sha256(accountId))}`
}

function undosOf(accountId: string): string {
  return `undo_${encodeBase64url(sha256(accountId))}`
}

function approvalOf(change: string, role: ConfirmTarget['role']): string {
  return `change_${change}_${role}`
}
