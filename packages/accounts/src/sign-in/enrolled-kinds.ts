import type { DocumentStore, StoredDocument } from '@latchkey/store'
import { listPages } from '@latchkey/store/internal'
import type { AccountsContext } from '../context/accounts-context.ts'
import { enrolledKinds, secondFactorKinds } from '../factors/second-factor-kinds.ts'
import type { SecondFactorKind } from '../factors/second-factors.ts'
import type { StoredAccount } from '../store/account-store.ts'

type Parts = Pick<AccountsContext, 'accounts' | 'documents' | 'totp' | 'passkeys' | 'recoveryCodes'>

/** The second factors of an account, as they were read at once. */
export interface EnrolledFactors {
  readonly kinds: readonly string[]
  /** Reads a document from the list that was read; `undefined`: the account was read without a store. */
  readonly readDocument?: DocumentStore['get']
}

/**
 * Returns the second factors that the account has: the stored factors, and kinds in its column that this release does
 * not know. A column that differs from the store is repaired. Without a store it returns the column.
 */
export async function readEnrolled(context: Parts, account: StoredAccount): Promise<EnrolledFactors> {
  if (context.documents === null) return { kinds: account.enrolled }
  const enrolled = await readStored(context.documents, account)
  const isTakenOut = account.enrolled.some((kind) => !enrolled.kinds.includes(kind))
  if (!(await repair(context, account, enrolled.kinds)) || !isTakenOut) return enrolled
  // A factor that was put in force between the two stands in the column again, and counts.
  const latest = await readStored(context.documents, account)
  await repair(context, { ...account, enrolled: enrolled.kinds }, latest.kinds)
  return latest
}

/** Returns the stored kinds of the factors of an account, and leaves the column unchanged. */
export async function readInForce({ documents }: Parts, account: StoredAccount): Promise<readonly string[]> {
  return documents === null ? account.enrolled : (await readStored(documents, account)).kinds
}

const collections = secondFactorKinds.map((kind) => `factor-${kind}`)

async function readStored(documents: DocumentStore, { id, enrolled }: StoredAccount): Promise<EnrolledFactors> {
  const stored = await listPages((page) => documents.listByOwner(id, { ...page, collections }))
  const isStored = (kind: string): boolean => stored.some(({ collection }) => collection === `factor-${kind}`)
  return {
    kinds: [...enrolledKinds.filter(isStored), ...enrolled.filter((kind) => !isKnown(kind))],
    readDocument: async (collection, named) => find(stored, collection, named),
  }
}

function find(stored: readonly StoredDocument[], collection: string, id: string): StoredDocument | null {
  return stored.find((document) => document.collection === collection && document.id === id) ?? null
}

function isKnown(kind: string): boolean {
  return enrolledKinds.some((known) => known === kind)
}

/**
 * Whether it has written the column. It is a swap on the value that was read, without a new epoch, so sessions stay
 * valid. A change in the meantime has written the column itself.
 */
async function repair(
  { accounts }: Parts,
  { id, epoch, enrolled }: StoredAccount,
  next: readonly string[],
): Promise<boolean> {
  const isSame = next.length === enrolled.length && next.every((kind) => enrolled.includes(kind))
  return !isSame && accounts.replace(id, { epoch, enrolled }, { enrolled: next })
}

/**
 * Writes the stored kinds into the column after a change of the factors. A concurrent sign-in may have removed the kind
 * from the column.
 */
export async function alignEnrolled(context: Parts, id: string): Promise<readonly string[]> {
  const account = await context.accounts.get(id)
  return account ? (await readEnrolled(context, account)).kinds : []
}

/** Returns the kinds of second factors that the account can present now, without disabled factors and spent codes. */
export async function readShowable(
  { totp, passkeys, recoveryCodes }: Parts,
  accountId: string,
  { kinds, readDocument }: EnrolledFactors,
): Promise<readonly SecondFactorKind[]> {
  const reading = readDocument ? { readDocument } : {}
  const [app, codes] = await Promise.all([
    kinds.includes('totp') ? totp?.find(accountId, reading) : null,
    recoveryCodes?.find(accountId, reading),
  ])
  const showable = {
    totp: Boolean(app && !app.isDisabled),
    passkey: passkeys !== null && kinds.includes('passkey'),
    'recovery-code': (codes?.remaining ?? 0) > 0,
  }
  return secondFactorKinds.filter((kind) => showable[kind])
}
