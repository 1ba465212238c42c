import type { AuditedFacts } from './audit-port.ts'
import type { AuditedActor } from './audited-kinds.ts'

/** A decision: the members of its event, and the facts for the audit log alone. */
interface SaidDecision {
  readonly type: string
  readonly accountId?: string | null
  readonly address?: string | null
  readonly requestId?: string | null
  readonly channel?: string
  readonly userAgent?: string | null
  readonly actorId?: string | null
  readonly impersonatorId?: string
  readonly identifier?: string
}

export interface AuditedFactsParts {
  readonly actor: AuditedActor
  /** Returns the keyed hash of an identifier without an account. */
  readonly hash: (text: string) => string
}

/** Members of the row itself, or of no row: the id of a device says more of a person than an erased row may. */
const noDetails: ReadonlySet<string> = new Set([
  'type',
  'at',
  'accountId',
  'actorId',
  'address',
  'userAgent',
  'requestId',
  'device',
  'deviceToken',
  'durationMs',
  'identifier',
  'locale',
  'cause',
])

/** Returns what is written of a decision. */
export function toAuditedFacts(said: SaidDecision, { actor, hash }: AuditedFactsParts): AuditedFacts {
  const { type: kind, accountId = null, address = null, requestId = null, userAgent = null, identifier } = said
  const details = { ...detailsOf(said), ...(identifier !== undefined && { identifier: hash(identifier) }) }
  const actorId = said.actorId === undefined ? (said.impersonatorId ?? actorOf(said, actor)) : said.actorId
  return {
    kind,
    accountId,
    actorId,
    address,
    userAgent: userAgent === null ? null : boundText(userAgent),
    requestId,
    details,
  }
}

/** The operator of the service runs a command, and has no account. */
function actorOf({ accountId = null, channel }: SaidDecision, actor: AuditedActor): string | null {
  return actor === 'owner' && channel !== 'command' ? accountId : null
}

type Detail = string | number | boolean

function detailsOf(said: object): Readonly<Record<string, Detail>> {
  const details: Record<string, Detail> = {}
  for (const [name, value] of Object.entries(said)) {
    const detail: unknown = Array.isArray(value) ? value.join(' ') : value
    if (!noDetails.has(name) && isDetail(detail))
      details[name] = typeof detail === 'string' ? boundText(detail) : detail
  }
  return details
}

function isDetail(value: unknown): value is Detail {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

const mostCharacters = 512

/** The client chooses some of it: it must neither be long nor move the cursor of a terminal. */
function boundText(text: string): string {
  return text
    .slice(0, mostCharacters * 4)
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .slice(0, mostCharacters)
}
