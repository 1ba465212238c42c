import { randomToken } from '@latchkey/bytes'
import { wallClock } from '@latchkey/time'
import type { Answer } from '../responses/answer.ts'
import { codeOf } from '../responses/error-table.ts'
import { type AccessEvent, createFailedEvent, printFailure } from './access-event.ts'
import type { Exchange } from './exchange.ts'
import type { FailureCode } from './shown-errors.ts'

/** Emits the events of a handler. */
export interface Reporter {
  /** Reports an answer if it is a refusal of access. */
  answered(answer: Answer, exchange: Exchange): void
  /** Reports a failure and returns the id that the client gets. */
  failed(exchange: Exchange, cause: unknown, code: FailureCode, path: string | null): string
}

export interface ReporterOptions {
  readonly onEvent?: (event: AccessEvent) => void
  readonly now?: () => number
}

export function createReporter({ onEvent = printFailure, now = wallClock }: ReporterOptions): Reporter {
  const emit = (event: AccessEvent): void => {
    try {
      onEvent(event)
    } catch {
      // A listener that throws must not change the answer.
    }
  }
  return {
    answered({ status, body: { errors = [] } }, exchange) {
      const [first] = errors
      if (!first || (status !== 401 && status !== 403)) return
      const paths = errors.flatMap(({ path }) => path?.join('.') ?? [])
      emit({ type: 'access.denied', at: now(), code: codeOf(first), status, subject: subjectOf(exchange), paths })
    },
    failed(exchange, cause, code, path) {
      const id = randomToken(16)
      const subject = subjectOf(exchange)
      emit(createFailedEvent({ type: 'access.failed', at: now(), code, id, subject, path, cause }))
      return id
    },
  }
}

function subjectOf({ established }: Exchange): string | null {
  return established?.reading.identity?.subject ?? null
}
