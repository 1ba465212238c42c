import type { HttpRequest } from '@latchkey/http'
import { AccessError } from '../errors.ts'
import { strongestStatus } from '../responses/error-table.ts'
import { acceptsJson } from '../responses/negotiate-media-type.ts'
import type { Response } from '../responses/response.ts'
import { statusOfPartial } from '../responses/status-profile.ts'
import type { Exchange } from './exchange.ts'

/** The highest value of `batchSize`. */
export const longestBatch = 10

const encoder = new TextEncoder()

export interface BatchOptions {
  readonly limit: number
  /** The most bytes of the whole response. */
  readonly responseBytes: number
  /** Counts another operation for the rate limit. */
  readonly count: (exchange: Exchange) => Promise<void>
  /** Answers one operation; it never rejects. */
  readonly answerOne: (exchange: Exchange) => Promise<Response>
}

/**
 * Executes the operations of an array in sequence, and answers with an array of their answers. Each operation has its
 * own limits; all share the time.
 *
 * @throws AccessError `BAD_REQUEST`, `QUERY_LIMIT_EXCEEDED`, `NOT_ACCEPTABLE`, `RATE_LIMITED`, before any operation
 * runs.
 */
export async function answerBatch(
  exchange: Exchange,
  operations: readonly unknown[],
  { limit, responseBytes, count, answerOne }: BatchOptions,
): Promise<Response> {
  checkBatch(operations, limit, exchange.request)
  // The request itself was counted on arrival.
  for (let more = 1; more < operations.length; more++) await count(exchange)
  const answers: Response[] = []
  // The response includes the brackets, and a comma after each answer except the last.
  let responseBytesLeft = responseBytes - 2
  for (const body of operations) {
    const own = { ...exchange, body, responseBytesLeft, isBatched: true, mediaType: 'application/json' } as const
    const answered = await answerOne(own)
    responseBytesLeft = Math.max(0, responseBytesLeft - encoder.encode(answered[0] ?? '').length - 1)
    answers.push(answered)
  }
  const statuses = answers.map(([, { status }]) => status)
  const [first = 200] = statuses
  const isAnyGiven = statuses.some((status) => status < 300)
  const mixed = isAnyGiven ? statusOfPartial(exchange.profile, false) : strongestStatus(statuses)
  const status = statuses.every((one) => one === first) ? first : mixed
  const [, deciding] = answers.find(([, one]) => one.status === status) ?? []
  const headers = { ...deciding?.headers, 'content-type': 'application/json; charset=utf-8' }
  return [`[${answers.map(([text]) => text).join()}]`, { status, statusText: '', headers }]
}

function checkBatch({ length }: readonly unknown[], limit: number, request: HttpRequest): void {
  if (length === 0) throw new AccessError('BAD_REQUEST', { message: 'A batch must contain at least one operation.' })
  if (length > limit)
    throw new AccessError('QUERY_LIMIT_EXCEEDED', { message: `A batch can contain at most ${limit} operations.` })
  // An array of responses is no GraphQL response, so the newer media type does not describe it.
  if (!acceptsJson(request.headers.get('accept') ?? null))
    throw new AccessError('NOT_ACCEPTABLE', { message: 'The Accept header of a batch must allow application/json.' })
}
