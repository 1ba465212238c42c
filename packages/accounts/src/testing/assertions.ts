import type { IdentityAccount, StoredAccount } from '../store/account-store.ts'

/** Fails unless the condition holds. Any runner takes a thrown error for a failure. */
export function holds(condition: boolean, rule: string): void {
  if (!condition) throw new Error(rule)
}

/** Fails unless it is the same account, field by field, or absent where `null` is expected. */
export function isAccount(actual: StoredAccount | null, expected: StoredAccount | null, rule: string): void {
  const [left, right] = [describe(actual), describe(expected)]
  if (left !== right) throw new Error(`${rule}: expected ${right}, got ${left}`)
}

/** The same for the part of it that is read for an identity. */
export function isIdentityAccount(
  actual: IdentityAccount | null,
  expected: IdentityAccount | null,
  rule: string,
): void {
  const names = ['enrolled', 'epoch', 'id', 'keptKey', 'roles', 'status'] satisfies (keyof IdentityAccount)[]
  const [left, right] = [JSON.stringify(actual, names), JSON.stringify(expected, names)]
  if (left !== right) throw new Error(`${rule}: expected ${right}, got ${left}`)
}

function describe(account: StoredAccount | null): string {
  if (account === null) return 'null'
  const { id, email, name, roles, status, passwordHash, epoch, keptKey, enrolled } = account
  const lists = { roles: [...roles], enrolled: enrolled === undefined ? 'nothing' : [...enrolled] }
  return JSON.stringify({ id, email, name, ...lists, status, passwordHash, epoch, keptKey })
}

/** Fails unless exactly one of several callers won. */
export function oneWins(outcomes: readonly boolean[]): void {
  const winners = outcomes.filter((outcome) => outcome === true).length
  holds(winners === 1, `of ${outcomes.length} callers exactly one must win, not ${winners}`)
}

/** Changes an account that was returned. A frozen object cannot be changed, which is as good as a copy. */
export function spoil(account: StoredAccount | null): void {
  try {
    Object.assign(account ?? {}, { status: 'disabled', epoch: 99 })
  } catch {
    // Frozen.
  }
  try {
    Array.prototype.push.call(account?.roles, 'ADMIN')
  } catch {
    // Frozen.
  }
}
