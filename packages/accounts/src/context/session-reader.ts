import type { DenyList, VerifiedClaims } from '@latchkey/jwt'
import type { ListedSession, RefreshFamily, RefreshTokens, Session, Sessions } from '@latchkey/sessions'
import type { RecordStore, StoredRecord } from '@latchkey/store'
import type { Accounts } from '../contract/accounts.ts'
import type { AccountStore, IdentityAccount, IdentityReads, StoredIdentity } from '../store/account-store.ts'
import { readPart } from './read-part.ts'

/** A session with the account that is stored for it. */
export interface OpenedSession {
  readonly session: Session
  readonly account: IdentityAccount | null
}

/** The family of an access token with the account that is stored for its subject, unless the token is denied. */
export interface OpenedFamily {
  readonly family: RefreshFamily
  readonly account: IdentityAccount
}

/** A session or family by its public key, with the account that is stored for it. */
export interface OpenedByKey {
  readonly session: ListedSession
  readonly account: IdentityAccount
}

/** How a session is looked up for a credential. */
export type CredentialUse = NonNullable<Parameters<Accounts['identifyCredential']>[1]>

/**
 * Reads sessions and families by credential or key. It does not check them against the epoch or status of the account.
 */
export interface SessionReader {
  session(credential: string | null, use: CredentialUse): Promise<OpenedSession | null>
  family(claims: VerifiedClaims, sid: string): Promise<OpenedFamily | null>
  /**
   * Returns the session or family of an administrator who impersonates an account. The key does not prove that the
   * bearer is the administrator.
   */
  holder(subject: string, key: string): Promise<OpenedByKey | null>
  /** Whether the deny list holds the token. */
  isDenied(claims: VerifiedClaims): Promise<boolean>
}

export interface OpenedReaderParts {
  readonly records: RecordStore
  readonly accounts: AccountStore
  readonly sessions: Sessions
  readonly refreshTokens: RefreshTokens
  readonly denyList: DenyList | null
}

/**
 * Creates a reader that reads a record and its account in one statement if the store of accounts can, else from each
 * store.
 */
export function createOpenedReader(parts: OpenedReaderParts): SessionReader {
  const identities = readPart('accounts.identities', parts.accounts.identities, 'read')
  return identities?.records === parts.records ? readTogether(parts, identities) : readEach(parts)
}

function readTogether(parts: OpenedReaderParts, identities: IdentityReads): SessionReader {
  const { sessions, refreshTokens, denyList } = parts
  const knowsDenials = denyList !== null && identities.documents === denyList.documents
  const elsewhere = knowsDenials ? null : denyList
  return {
    async session(credential, use) {
      const { readRecord, read } = keepRead((key) => identities.read(key))
      const session = await findSession(sessions, credential, use, { readRecord })
      return session && { session, account: read()?.account ?? null }
    },
    async family(claims, sid) {
      const ids = knowsDenials ? denyList.idsOf(claims) : []
      const { readRecord, read } = keepRead((key) => identities.read(key, ids))
      const found = refreshTokens.read(sid, { readRecord })
      const [family, isDenied] = elsewhere ? await Promise.all([found, elsewhere.isDenied(claims)]) : [await found]
      const stored = read()
      if (!family || !stored || isDenied || stored.isDenied) return null
      return { family, account: stored.account }
    },
    async holder(subject, key) {
      const { readRecord, read } = keepRead((asked) => identities.read(asked))
      const session = await sessions.find(subject, key, { readRecord })
      const account = read()?.account ?? null
      return session && account ? { session, account } : null
    },
    isDenied: async (claims) => denyList?.isDenied(claims) ?? false,
  }
}

/** Keeps what was read with a record. */
function keepRead(ask: (key: string) => Promise<StoredIdentity | null>) {
  let kept: StoredIdentity | null = null
  return {
    read: () => kept,
    async readRecord(key: string): Promise<StoredRecord | null> {
      kept = await ask(key)
      return kept?.record ?? null
    },
  }
}

function readEach(parts: OpenedReaderParts): SessionReader {
  const { records, accounts, sessions, refreshTokens, denyList } = parts
  const areHere = isHere(records) && isHere(accounts)
  return {
    async session(credential, use) {
      const session = await findSession(sessions, credential, use, {})
      return session && { session, account: await accounts.get(session.subject) }
    },
    async family(claims, sid) {
      if (areHere) return readFamilyInTurn(parts, claims, sid)
      const [family, account, isDenied] = await Promise.all([
        refreshTokens.read(sid),
        accounts.get(claims.sub),
        denyList?.isDenied(claims),
      ])
      return family && account && !isDenied ? { family, account } : null
    },
    async holder(subject, key) {
      const [session, account] = await Promise.all([sessions.find(subject, key), accounts.get(subject)])
      return session && account ? { session, account } : null
    },
    isDenied: async (claims) => denyList?.isDenied(claims) ?? false,
  }
}

/** Reads in sequence: in memory, `Promise.all` of three reads costs more than the reads. */
async function readFamilyInTurn(
  { accounts, refreshTokens, denyList }: OpenedReaderParts,
  claims: VerifiedClaims,
  sid: string,
): Promise<OpenedFamily | null> {
  const family = await refreshTokens.read(sid)
  const account = family && (await accounts.get(claims.sub))
  return family && account && !(await denyList?.isDenied(claims)) ? { family, account } : null
}

/** Whether a store says at once that it is in memory. */
function isHere(store: RecordStore | AccountStore): boolean {
  const said = store.isInMemory?.()
  if (said instanceof Promise) said.catch(() => false)
  return said === true
}

function findSession(
  sessions: Sessions,
  credential: string | null,
  use: CredentialUse,
  reading: NonNullable<Parameters<Sessions['peek']>[1]>,
): Promise<Session | null> {
  if (use.isUse === false) return sessions.peek(credential, reading)
  // Called on the object it is a method of: that may be the request.
  const waiting = use.waitUntil && { waitUntil: use.waitUntil.bind(use) }
  return sessions.read(credential, { ...reading, ...waiting })
}
