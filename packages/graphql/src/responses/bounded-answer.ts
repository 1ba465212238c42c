import { refusal } from '../refusal.ts'
import { type Answer, answerRefusal } from './answer.ts'
import type { RequestFacts } from './error-table.ts'
import { isJsonLonger } from './json-size.ts'
import { statusOfPartial } from './status-profile.ts'

export interface BoundOptions {
  readonly limitBytes: number
  /** The limit for longer answers; `null`: they are not allowed. */
  readonly longerBytes?: () => number | null
  /** The type of the operation. The effect of a mutation has happened. */
  readonly operation: 'query' | 'mutation' | 'subscription'
}

/**
 * Returns the answer, or a refusal if its JSON would exceed the limit. The size is counted without writing the JSON.
 */
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
