import type { Deed, Facts } from '../deeds/deed.ts'
import { type Knowledge, readKnowledge } from '../deeds/knowledge.ts'
import type { Held, Person } from '../people/person.ts'
import type { Board } from '../service/board.ts'
import type { Line } from '../service/line.ts'
import { lifetimes, limits } from '../service/terms.ts'
import type { World } from '../world/world.ts'

interface Course {
  readonly world: World
  readonly deeds: readonly Deed[]
  readonly steps: () => number
  readonly town: {
    readonly people: readonly Person[]
    readonly initial: ReadonlyMap<string, Facts>
    readonly board: Board | null
  }
}

/** What is known of a stream beside what its client sees. */
interface Watched {
  readonly line: Line
  readonly held: Held
  /** Steps of the schedule. */
  readonly opened: number
  readonly troubles: number
  count: number
  isJudged: boolean
  /** How long its process had waited for timers when the revocation was acknowledged. */
  revokedAtIdle: number | null
}

/** Judges all open streams after each move; returns what is wrong, or null. */
export function watchStreams({ world, deeds, steps, town }: Course): () => string | null {
  const watched = new Map<Line, Watched>()
  return () => {
    if (!town.board) return null
    for (const { line, held } of town.people.flatMap(({ lines }) => lines)) {
      if (!watched.has(line)) watched.set(line, startWatch(line, held, steps()))
    }
    const open = [...watched.values()].filter(({ isJudged }) => !isJudged)
    if (open.length === 0) return null
    const facts = readKnowledge(deeds, town.initial)
    const known = { facts, deeds, now: world.now(), steps: steps(), published: town.board.published }
    for (const one of open) {
      const found = judge(one, known)
      if (found !== null) return `a stream of ${one.held.credential.account}: ${found}`
    }
    return null
  }
}

function startWatch(line: Line, held: Held, opened: number): Watched {
  const { troubles } = line.machine
  return { line, held, opened, troubles, count: 0, isJudged: false, revokedAtIdle: null }
}

interface Known {
  readonly facts: Knowledge
  readonly deeds: readonly Deed[]
  readonly now: number
  readonly steps: number
  readonly published: Board['published']
}

function judge(watched: Watched, known: Known): string | null {
  const { line, held } = watched
  const by = known.facts.surelyRevoked(held.credential, always)
  while (watched.count < line.heard.length) {
    const text = line.heard[watched.count++] ?? ''
    if (by && by.endedAt < (known.published.get(text) ?? 0))
      return `"${text}" was published and heard after "${by.what}" (deed ${by.number}) had revoked its credential`
  }
  watched.isJudged = line.isLeft || line.end !== null || line.machine.isKilled
  if (line.end !== null && !line.isLeft) return findNoReason(watched, known)
  if (!by || watched.isJudged) return null
  watched.revokedAtIdle ??= line.machine.idleMs
  return line.machine.idleMs - watched.revokedAtIdle > limits.streamMs
    ? `it was open ${limits.streamMs} ms after "${by.what}" (deed ${by.number}) had revoked its credential`
    : null
}

const always = { start: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY }

/** The stream of a sign-in that goes on is ended by nothing but a change, an outage or a slow process. */
function findNoReason({ line, held, opened, troubles }: Watched, { facts, deeds, now, steps }: Known): string | null {
  const { credential } = held
  const issue = facts.issueOf(credential)
  const isChange = ({ account, start, end, outcome, claims: { sets, revokes, mayRevoke } }: Deed): boolean =>
    account === credential.account &&
    (sets !== undefined || revokes !== undefined || mayRevoke === true) &&
    start < steps &&
    end > opened &&
    outcome.kind !== 'refused'
  if (!issue || facts.possiblyRevoked(credential, { start: opened, end: steps })) return null
  if (now >= issue.startedAt + 1000 * (credential.kind === 'session' ? lifetimes.idle : lifetimes.accessToken))
    return null
  if (line.end === 'for good') return line.machine.troubles > troubles ? null : 'it was ended for good without a reason'
  return line.machine.troubles > troubles || deeds.some(isChange) ? null : 'it was ended without a reason'
}

/** Once everybody has left, nothing is left of their streams. */
export function findLeftStreams({ world, town }: Pick<Course, 'world' | 'town'>): string | null {
  if (!town.board) return null
  const sources = town.board.listeners()
  if (sources > 0) return `${sources} sources of streams are open, and nobody listens`
  const machine = world.timers().find(({ everyMs }) => everyMs === limits.watchMs)?.machine
  return machine ? `${machine.name} watches identities, and nobody listens` : null
}
