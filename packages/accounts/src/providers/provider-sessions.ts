import type { ProviderSession } from '@latchkey/sessions'
import { createCredential, type Page, type RecordStore, StoreError } from '@latchkey/store'
import { defineStoredShape, documentId, isStoredText, storedOrNull } from '@latchkey/store/internal'

/** A session at a provider. */
export interface NamedSession {
  readonly issuer: string
  readonly sid: string
}

/** A sign-in at a provider out of which something is opened here. */
export interface ProviderSignIn extends ProviderSession {
  /** When the provider has said it, epoch milliseconds. */
  readonly since: number
}

/** A logout at a provider: of one session, or with `sid: null` of all sessions of a user. */
export interface ProviderLogout {
  readonly issuer: string
  readonly subject: string | null
  readonly sid: string | null
}

/** Which accounts were signed in to out of a session at a provider: a logout there may name that alone. */
export interface ProviderSessions {
  /**
   * Stores the account of a sign-in before its session is opened. `false`: the user has logged out at the provider, and
   * no session may be opened.
   */
  remember(signIn: ProviderSignIn, accountId: string): Promise<boolean>
  /** Returns the accounts of a session at a provider. */
  listAccounts(session: NamedSession): Promise<readonly string[]>
  /** Stores a logout before its sessions are searched, so that sign-ins in progress find it. */
  end(logout: ProviderLogout): Promise<void>
  /**
   * Returns whether the session at the provider was logged out within the last hour, or all sessions of the user since
   * the provider identified them. No sign-in takes longer.
   */
  hasEnded(signIn: ProviderSignIn): Promise<boolean>
}

/** `accountId: null`: a logout of the session, or of all sessions of the user. */
const shape = defineStoredShape<{ readonly accountId: string | null }>({
  name: 'provider session',
  members: { accountId: storedOrNull(isStoredText) },
})

const kind = 'idp'
const hourMs = 3_600_000
/**
 * Sessions that stay open longer, by lifetimes or renewals, are found by a logout that names its user, and not by `sid`
 * alone.
 */
const rememberedMs = 366 * 24 * hourMs

export interface ProviderSessionsOptions {
  readonly records: RecordStore
  readonly now: () => number
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

interface Remembered {
  readonly accountId: string | null
  readonly expiresAt: number
}

export function createProviderSessions({ records, now, storedVersion }: ProviderSessionsOptions): ProviderSessions {
  const ownerOf = ({ issuer, sid }: NamedSession): string => `${kind}_${documentId(issuer, sid)}`
  const userOf = (issuer: string, subject: string): string => `${kind}_user_${documentId(issuer, subject)}`

  async function list(owner: string): Promise<readonly Remembered[]> {
    const found: Remembered[] = []
    for (let page: Page | null = {}; page !== null; ) {
      const { items, cursor } = await records.listByOwner(owner, page)
      found.push(...items.map(({ value, expiresAt }) => ({ accountId: shape.parse(value).accountId, expiresAt })))
      page = cursor === undefined ? null : { cursor }
    }
    return found
  }

  async function write(owner: string, accountId: string | null, ttlMs: number): Promise<void> {
    const { key } = createCredential(kind)
    const value = shape.format({ accountId }, storedVersion())
    if (await records.insert({ key, owner, expiresAt: now() + ttlMs, value })) return
    throw new StoreError('STORE_UNAVAILABLE', 'the store refused a key that was never used')
  }

  async function read({ issuer, subject, sid, since }: ProviderSignIn): Promise<'ended' | readonly Remembered[]> {
    const [named, ofUser] = await Promise.all([
      sid === null ? [] : list(ownerOf({ issuer, sid })),
      list(userOf(issuer, subject)),
    ])
    const isEnded =
      named.some(({ accountId }) => accountId === null) || ofUser.some(({ expiresAt }) => expiresAt - hourMs >= since)
    return isEnded ? 'ended' : named
  }

  return {
    async remember(signIn, accountId) {
      const known = await read(signIn)
      if (known === 'ended') return false
      const { issuer, sid } = signIn
      const late = now() + rememberedMs / 2
      if (sid !== null && !known.some((each) => each.accountId === accountId && each.expiresAt > late))
        await write(ownerOf({ issuer, sid }), accountId, rememberedMs)
      return true
    },
    async listAccounts(session) {
      const found = await list(ownerOf(session))
      return [...new Set(found.flatMap(({ accountId }) => accountId ?? []))]
    },
    async end({ issuer, subject, sid }) {
      if (sid !== null) await write(ownerOf({ issuer, sid }), null, hourMs)
      else if (subject !== null) await write(userOf(issuer, subject), null, hourMs)
    },
    hasEnded: async (signIn) => (await read(signIn)) === 'ended',
  }
}
