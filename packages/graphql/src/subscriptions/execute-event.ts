import { type ExecutionResult, execute, type GraphQLError } from 'graphql'
import { requestFacts } from '../handler/exchange.ts'
import { showErrors } from '../handler/presented-errors.ts'
import { answer } from '../responses/answer.ts'
import { boundAnswer } from '../responses/bounded-answer.ts'
import { codeOf } from '../responses/error-table.ts'
import type { EventResult } from './event-stream.ts'
import { prepareSubscription, refuseSubscription, type Subscription } from './subscription.ts'

/** Executes an event like a separate request: identity, decision, execution, and the errors as in an answer. */
export async function executeEvent(subscription: Subscription, event: unknown): Promise<EventResult> {
  const { client, exchange } = subscription
  const identity = await client.watch.confirm()
  const verdict = await prepareSubscription(subscription, identity)
  if (!verdict.ok) return { result: refuseSubscription(subscription, verdict.errors).body, isLast: true }
  const result = await execute({ ...verdict.args, rootValue: event })
  const errors = showErrors(result.errors ?? [], client.shown)
  if (isHidden(result, errors)) return { result: null, isLast: false }
  const facts = requestFacts(exchange)
  const given = answer(result, errors, verdict, facts)
  return {
    result: boundAnswer(given, facts, { limitBytes: client.eventBytes, operation: 'query' }).body,
    isLast: false,
  }
}

/** The result would only reveal an object that this client may not see. */
function isHidden({ data }: ExecutionResult, errors: readonly GraphQLError[]): boolean {
  const isEmpty = !data || Object.values(data).every((value) => value === null)
  return isEmpty && errors.length > 0 && errors.every((error) => /^(?:NOT_FOUND|FORBIDDEN)$/.test(codeOf(error)))
}
