/** What was decided, about whom, and by whom. */
export interface AuditFacts {
  /** The type of the event: `password.changed`. */
  readonly kind: string
  /** Whom it is about. `erasePersonal` erases by it. */
  readonly accountId: string | null
  /** Who did it, such as an administrator; `null`: unknown, or not signed in. */
  readonly actorId: string | null
  /** Personal, so that it can be erased; as `userAgent` and `requestId`. */
  readonly address: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
}

/** A decision as it is listed. */
export interface AuditEntry extends Required<AuditFacts> {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  /** `unknown`: it was about to happen, and what came of it was not written. */
  readonly state: 'done' | 'failed' | 'unknown'
}

/** What a row keeps apart, because it can be erased. */
export type PersonalFacts = Pick<AuditFacts, 'address' | 'userAgent' | 'requestId'>
