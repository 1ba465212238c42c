import { decodeBase64url, encodeBase64url, randomToken, sha256 } from '@latchkey/bytes'
import { isSha256Of } from '@latchkey/bytes/internal'
import type { RecordStore } from '@latchkey/store'
import { defineStoredShape, isStoredText, storedOrNull, storedOrOmitted } from '@latchkey/store/internal'
import type { Links } from './links.ts'

/** An account that waits for the proof of its address. It is kept in the record of the link, not among the accounts. */
export interface PendingAccount {
  readonly email: string
  readonly name: string
  /** It counts only if the browser presents the password again, or its secret. `null`: an older release stored none. */
  readonly passwordHash: string | null
  /** The digest of the secret that the browser got that signed up. Omitted: an older release kept none. */
  readonly browser?: string
}

/** The sign-ups that wait for a verified address. Each has a link. */
export interface PendingAccounts {
  /** Keeps a sign-up and returns the URL of the link that proves its address. */
  add(asked: PendingAccount): Promise<string>
  /** Returns the sign-up of a token and leaves it usable; `null` if the token is not valid. */
  read(token: string): Promise<PendingAccount | null>
  /** Removes every sign-up of an address. */
  endAll(email: string): Promise<void>
}

const shape = defineStoredShape<PendingAccount>({
  name: 'sign-up',
  members: {
    email: isStoredText,
    name: isStoredText,
    passwordHash: storedOrNull(isStoredText),
    browser: storedOrOmitted(isStoredText),
  },
})

export function createPendingAccounts(records: RecordStore, links: Links, writes: () => number): PendingAccounts {
  return {
    async add(asked) {
      const value = shape.format(asked, writes())
      return (await links.create({ owner: ownerOf(asked.email), value })).url
    },
    async read(token) {
      const link = await links.read(token)
      return link && shape.parse(link.value)
    },
    async endAll(email) {
      await records.removeByOwner(ownerOf(email))
    },
  }
}

/** The sign-ups of one address have a common owner key before the account exists. */
function ownerOf(email: string): string {
  return `pending_${encodeBase64url(sha256(email))}`
}

/** Returns the secret that a browser has from an earlier sign-up, or a new one. */
export function keepBrowserSecret(shown: string | null | undefined): string {
  return typeof shown === 'string' && /^[\w-]{43}$/.test(shown) ? shown : randomToken()
}

export function digestOfBrowser(secret: string): string {
  return encodeBase64url(sha256(secret))
}

/** Whether the secret belongs to the browser that signed up. */
export function isSameBrowser({ browser }: PendingAccount, secret: string | null | undefined): boolean {
  const digest = browser === undefined ? null : decodeBase64url(browser)
  return typeof secret === 'string' && digest !== null && isSha256Of(digest, secret)
}
