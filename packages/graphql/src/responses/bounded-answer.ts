import { refusal } from '../refusal.ts'
import { type Answer, answerRefusal } from './answer.ts'
import type { RequestFacts } from './error-table.ts'
import { isJsonLonger } from './json-size.ts'
import { statusOfPartial } from './status-profile.ts'

export interface BoundOptions {
  readonly limitBytes: number
  /** The limit instead of a longer answer; `null`: there is none. */
  readonly longerBytes?: () => number | null
  /** What was executed; a mutation has had its effect. */
  readonly operation: 'query' | 'mutation' | 'subscription'
}

/** Returns the answer, or where its JSON has more bytes than the limit, the refusal in its place. Nothing is written before. */
export function boundAnswer(
  given: Answer,
  facts: RequestFacts,
  { limitBytes, longerBytes, operation }: BoundOptions,
): Answer {
  if (!isJsonLonger(given.body, limitBytes)) return given
  const longer = longerBytes?.() ?? limitBytes
  if (longer > limitBytes && !isJsonLonger(given.body, longer)) return given
  if (operation !== 'mutation') return answerRefusal([refusal('RESPONSE_TOO_LARGE')], facts)
  const errors = [
    refusal('RESPONSE_TOO_LARGE', { message: 'The mutation was executed, but its response would be too large.' }),
  ]
  return { status: statusOfPartial(facts.profile, false), headers: {}, body: { data: null, errors } }
}
