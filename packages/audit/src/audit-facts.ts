/** A decision, its account and its actor. */
export interface AuditFacts {
  /** The type of the event: `password.changed`. */
  readonly kind: string
  /** The account that the decision is about. `erasePersonal` erases by it. */
  readonly accountId: string | null
  /** The actor, for example an administrator; `null` if the actor is unknown or not signed in. */
  readonly actorId: string | null
  /** Personal, so that it can be erased; as `userAgent` and `requestId`. */
  readonly address: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
}

/** A decision in a listing. */
export interface AuditEntry extends Required<AuditFacts> {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  /** `unknown`: it was intended, and its outcome was not written. */
  readonly state: 'done' | 'failed' | 'unknown'
}

/** The facts that a row keeps separately, because they can be erased. */
export type PersonalFacts = Pick<AuditFacts, 'address' | 'userAgent' | 'requestId'>
