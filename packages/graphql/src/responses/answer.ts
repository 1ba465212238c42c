import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql'
import { isSoleRootField } from '../documents/root-fields.ts'
import type { PreparedPlan } from '../plan/plan.ts'
import { codeOf, errorTable, headersOf, type RequestFacts, rowOf, statusOf, strongestStatus } from './error-table.ts'
import type { Response } from './response.ts'
import { mediaTypeOf, statusOfPartial } from './status-profile.ts'

const presentedAtMost = 10

/** An answer before it is written. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ExecutionResult
}

/** Answers with a refusal: one status, the errors that have this status, and no `data` key. */
export function answerRefusal(errors: readonly GraphQLError[], facts: RequestFacts): Answer {
  const statuses = errors.map((error) => statusOf(error, facts))
  const status = strongestStatus(statuses)
  const deciding = errors.filter((_error, index) => statuses[index] === status)
  const [first] = deciding
  const headers = first ? headersOf(first, status, facts) : {}
  return { status, headers, body: { errors: deciding.slice(0, presentedAtMost) } }
}

/** The facts that decide whether an error during execution refuses the whole answer. */
export interface Executed {
  readonly args: Pick<ExecutionArgs, 'document' | 'operationName'>
  readonly plan: Pick<PreparedPlan, 'operation' | 'ownership'> | null
}

/**
 * Answers with the result of an execution. An error that refuses the answer drops the data of a query. In a mutation it
 * drops the data only if no other effect has happened; else the field is null and the rest is sent.
 */
export function answer(
  result: ExecutionResult,
  shown: readonly GraphQLError[],
  executed: Executed,
  facts: RequestFacts,
): Answer {
  if (shown.length === 0) return { status: 200, headers: {}, body: result }
  const refusing = shown.filter((error) => refusesAnswer(error, executed))
  if (refusing.length > 0) return answerRefusal(refusing, facts)
  const isDataLost = !result.data && shown.some((error) => rowOf(error) === errorTable.INTERNAL_SERVER_ERROR)
  const status = statusOfPartial(facts.profile, isDataLost)
  return { status, headers: {}, body: { ...result, errors: shown.slice(0, presentedAtMost) } }
}

/** Writes an answer in the format of graphql-http. The body is the same in both media types. */
export function respond(
  { status, headers, body }: Answer,
  facts: Pick<RequestFacts, 'mediaType' | 'profile'>,
): Response {
  const contentType = { 'content-type': `${mediaTypeOf(status, facts)}; charset=utf-8` }
  return [JSON.stringify(body), { status, statusText: '', headers: { ...contentType, ...headers } }]
}

function refusesAnswer(error: GraphQLError, { args, plan }: Executed): boolean {
  const { refuses } = rowOf(error)
  if (refuses !== 'answer') return refuses === 'always'
  if (plan?.operation === 'query') return !(plan.ownership === 'partial' && codeOf(error) === 'FORBIDDEN')
  return error.path?.length === 1 && isSoleRootField(args)
}
