import { type DocumentStore, StoreError } from '@latchkey/store'
import { createCollection, defineStoredShape, isStoredCount } from '@latchkey/store/internal'

/** The policy, with the time from which each account has to follow it. */
export interface RequiredFactor {
  /**
   * Returns the time from which the account has to have a second factor: its first sign-in under the policy, the same
   * for sign-ins in parallel. It is kept for ever, so a change of factors starts no new grace. `null`: the policy does
   * not apply to the account.
   */
  ask(account: { readonly id: string; readonly roles: readonly string[] }): Promise<number | null>
  /**
   * Returns the time until which the account may sign in without a second factor; `null`: it has one or needs none.
   * @param since the result of `ask`. `null`: the policy did not apply at its sign-in, and the account has no grace.
   */
  dueAt(
    account: { readonly roles: readonly string[]; readonly enrolled: readonly string[] },
    since: number | null,
  ): number | null
}

const shape = defineStoredShape<{ readonly since: number }>({ name: 'enrollment', members: { since: isStoredCount } })

/** The checked options of the policy, and the parts that it uses. */
export interface RequiredFactorParts {
  readonly required: 'all' | readonly string[]
  readonly graceSeconds: number
  readonly documents: DocumentStore
  readonly now: () => number
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

export function createRequiredFactor({
  required,
  graceSeconds,
  documents,
  now,
  storedVersion,
}: RequiredFactorParts): RequiredFactor {
  const isAsked = (roles: readonly string[]): boolean =>
    required === 'all' || required.some((role) => roles.includes(role))

  // By account. It is no factor, and outlives them.
  const deadlines = createCollection({ documents, name: 'enrollment-deadline', shape, storedVersion })
  return {
    async ask({ id, roles }) {
      if (!isAsked(roles)) return null
      const deadline =
        (await deadlines.get(id)) ?? (await deadlines.insert(id, id, { since: now() })) ?? (await deadlines.get(id))
      if (deadline) return deadline.value.since
      throw new StoreError('STORE_UNAVAILABLE', 'the store refused a document that it does not have')
    },
    dueAt({ roles, enrolled }, since) {
      // Recovery codes stand for a factor that was lost; alone they are none.
      if (!isAsked(roles) || enrolled.some((kind) => kind !== 'recovery-code')) return null
      return since === null ? now() : since + graceSeconds * 1000
    },
  }
}
