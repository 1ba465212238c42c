import {
  createCredential,
  defineStoredShape,
  isStoredText,
  type RecordStore,
  StoreError,
  storedOrNull,
} from '@latchkey/store'
import { nameOf } from './linked-provider.ts'

/** A session at a provider. */
export interface NamedSession {
  readonly issuer: string
  readonly sid: string
}

/** Which accounts were signed in to out of a session at a provider: a logout there may name that alone. */
export interface ProviderSessions {
  /** Remembers an account before anything is opened for it. `false`: the session has ended, and nothing is to be opened. */
  remember(session: NamedSession, accountId: string): Promise<boolean>
  /** Returns the accounts of a session at a provider. */
  listAccounts(session: NamedSession): Promise<readonly string[]>
  /** Remembers that it has ended, before what came of it is looked for: sign-ins under way find it. */
  end(session: NamedSession): Promise<void>
  /** Returns whether it has ended within the last hour: no sign-in is under way for longer. */
  hasEnded(session: NamedSession): Promise<boolean>
}

/** `accountId: null`: the session at the provider has ended. */
const shape = defineStoredShape<{ readonly accountId: string | null }>({
  name: 'provider session',
  members: { accountId: storedOrNull(isStoredText) },
})

const kind = 'idp'
const hourMs = 3_600_000
/** No session and no family is open for longer. */
const longestMs = 366 * 24 * hourMs

export interface ProviderSessionsOptions {
  readonly records: RecordStore
  readonly now: () => number
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

export function createProviderSessions({ records, now, storedVersion }: ProviderSessionsOptions): ProviderSessions {
  const ownerOf = ({ issuer, sid }: NamedSession): string => `${kind}_${nameOf(issuer, sid)}`

  async function list(session: NamedSession): Promise<readonly (string | null)[]> {
    const found: (string | null)[] = []
    let cursor: string | undefined
    do {
      const page = await records.listByOwner(ownerOf(session), cursor === undefined ? {} : { cursor })
      const open = page.items.filter(({ expiresAt }) => expiresAt > now())
      found.push(...open.map(({ value }) => shape.parse(value).accountId))
      cursor = page.cursor
    } while (cursor !== undefined)
    return found
  }

  async function write(session: NamedSession, accountId: string | null, ttlMs: number): Promise<void> {
    const { key } = createCredential(kind)
    const value = shape.format({ accountId }, storedVersion())
    if (await records.insert({ key, owner: ownerOf(session), expiresAt: now() + ttlMs, value })) return
    throw new StoreError('STORE_UNAVAILABLE', 'the store refused a key that was never used')
  }

  return {
    async remember(session, accountId) {
      const known = await list(session)
      if (known.includes(null)) return false
      if (!known.includes(accountId)) await write(session, accountId, longestMs)
      return true
    },
    async listAccounts(session) {
      return [...new Set((await list(session)).filter((accountId) => accountId !== null))]
    },
    end: (session) => write(session, null, hourMs),
    hasEnded: async (session) => (await list(session)).includes(null),
  }
}
