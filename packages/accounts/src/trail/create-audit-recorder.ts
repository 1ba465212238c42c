import { encodeBase64url, hmacSha256 } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import type { LatchkeyEvent } from '@latchkey/core'
import type { Decision, Emit } from '@latchkey/core/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import type { AuditedFacts, AuditedIntent, AuditOptions } from './audit-port.ts'
import type { AuditedActor } from './audited-kinds.ts'
import { toAuditedFacts } from './to-audited-facts.ts'

/** The facts that the audit log gets and the event does not. */
export interface AuditOnly {
  readonly userAgent?: string | null
  /** The language of the mails. It is not written. */
  readonly locale?: string | null
  /** The account that made the decision. Omitted: the actor of the kind, and no account for a command. */
  readonly actorId?: string | null
  /** Why an administrator acts as an account, in their own words. */
  readonly statedReason?: string
  /** The text that was typed for an account that does not exist: only its keyed hash is written. */
  readonly identifier?: string
}

/** A decision that is audited. */
export type Audited<Event extends LatchkeyEvent> = Decision<Event> & AuditOnly

/** The facts of a decision that are known before its effect. */
export interface Intended<Type extends string> extends AuditOnly {
  readonly type: Type
  readonly accountId?: string | null
  /** It is a secret: an attempt is audited as it was judged. */
  readonly deviceToken?: never
  /** Other members of the event. */
  readonly [member: string]: unknown
}

/** A decision with an effect, before any row is written. */
export interface TrailStep<Event extends LatchkeyEvent> {
  /**
   * Writes the row before the effect, once for any number of calls. If it rejects, the effect must not take place.
   * Without a later row, as after an error with an unclear effect, the outcome is unknown.
   */
  begin(): Promise<void>
  /**
   * Emits the event and writes the outcome after the effect. It never rejects, because the effect cannot be refused any
   * longer.
   */
  done(decision: Audited<Event>): Promise<void>
  /** Writes the outcome of a decision whose event was announced before. */
  doneSilently(): Promise<void>
  /** Writes that the effect did not take place, if its row was written. */
  failed(): Promise<void>
}

/** Emits the events of decisions, and writes them into the audit log. */
export interface AuditRecorder<Event extends LatchkeyEvent> {
  /** Returns the steps of a decision with an effect. */
  plan(intended: Intended<Event['type']>): TrailStep<Event>
  /**
   * Emits the event of a decision without an effect, and writes its one row. If it rejects, the response must not
   * reveal the decision.
   *
   * @param isRow whether the decision has a row. Called only with an audit log.
   */
  record(decision: Audited<Event>, isRow?: () => Promise<boolean>): Promise<void>
  /** Emits an event whose rows are written later, by a step. */
  announce(decision: Audited<Event>): void
}

export interface AuditRecorderOptions<Event extends LatchkeyEvent> {
  readonly emit: Emit<Event>
  /** `null`: decisions are not audited. */
  readonly audit: AuditOptions | null
  readonly kinds: Readonly<Record<Event['type'], AuditedActor>>
}

/**
 * Creates what the decisions of a package go through that are audited: the intention before the effect, the outcome after
 * it.
 *
 * @throws TypeError when an option is unknown, missing or not valid.
 */
export function createAuditRecorder<Event extends LatchkeyEvent>(
  options: AuditRecorderOptions<Event>,
): AuditRecorder<Event> {
  const { emit, audit, kinds } = checkOptionNames('createAuditRecorder', options, {
    emit: true,
    audit: true,
    kinds: true,
  })
  if (typeof emit !== 'function') throw new TypeError('"emit" must be a function, as createEmitter returns it')
  if (!areKinds(kinds)) throw new TypeError('"kinds" must say who does what is decided')
  if (audit === undefined) throw new TypeError('"audit" must be { log, secrets }, or null')
  const announce = (decision: Audited<Event>): void => emit(withoutAuditOnly(decision))
  if (audit === null) return createUnaudited(announce)
  const { log } = audit
  const [{ bytes }] = checkSecrets(audit.secrets)
  const hash = (text: string): string => encodeBase64url(hmacSha256(bytes, text))
  // A decision and an intention have the same members: the compiler does not know it of an event that it does not know.
  const factsOf = (said: unknown): AuditedFacts => {
    const decision = said as Intended<Event['type']>
    return toAuditedFacts(decision, { actor: kinds[decision.type], hash })
  }
  return {
    plan: (intended) => createStep({ log, announce, factsOf }, intended),
    async record(decision, isRow) {
      announce(decision)
      if (!isRow || (await isRow())) await log.record(factsOf(decision))
    },
    announce,
  }
}

function areKinds(kinds: unknown): boolean {
  const isActor = (actor: unknown): boolean => actor === 'owner' || actor === 'unknown'
  return typeof kinds === 'object' && kinds !== null && Object.values(kinds).every(isActor)
}

interface StepParts<Event extends LatchkeyEvent> {
  readonly log: AuditOptions['log']
  readonly announce: (decision: Audited<Event>) => void
  readonly factsOf: (said: unknown) => AuditedFacts
}

function createStep<Event extends LatchkeyEvent>(
  { log, announce, factsOf }: StepParts<Event>,
  intended: Intended<Event['type']>,
): TrailStep<Event> {
  let beginning: Promise<AuditedIntent> | null = null
  const settle = async (outcome: (intent: AuditedIntent) => Promise<void>): Promise<void> => {
    // What could not be written stays unknown, and is an event of the log.
    if (beginning) await beginning.then(outcome).catch(() => undefined)
  }
  return {
    async begin() {
      beginning ??= log.intend(factsOf(intended))
      await beginning
    },
    done(decision) {
      announce(decision)
      return settle((intent) => intent.done(factsOf(decision)))
    },
    doneSilently: () => settle((intent) => intent.done()),
    failed: () => settle((intent) => intent.failed()),
  }
}

/** Returns a recorder without an audit log: it emits events, and never waits. */
function createUnaudited<Event extends LatchkeyEvent>(
  announce: (decision: Audited<Event>) => void,
): AuditRecorder<Event> {
  const step: TrailStep<Event> = {
    begin: async () => undefined,
    done: async (decision) => announce(decision),
    doneSilently: async () => undefined,
    failed: async () => undefined,
  }
  return { plan: () => step, record: async (decision) => announce(decision), announce }
}

/** Returns a decision as its event says it. */
export function withoutAuditOnly<Said extends object>(said: Said): Said {
  const shown = said as Said & AuditOnly
  const { userAgent: _userAgent, locale: _locale, actorId: _actorId, identifier: _identifier, ...rest } = shown
  const { statedReason: _statedReason, ...event } = rest
  return event as Said
}
