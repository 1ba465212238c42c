import { randomToken } from '@latchkey/bytes'
import type { LatchkeyEvent } from '@latchkey/core'
import { createEmitter, type EventFacts, wallClock } from '@latchkey/core/internal'
import { type AddressReader, createAddressReader, type HttpRequest } from '@latchkey/http'
import type { AccessEvent } from '../access-event.ts'
import type { Answer } from '../responses/answer.ts'
import { codeOf } from '../responses/error-table.ts'
import type { Exchange } from './exchange.ts'
import type { FailureCode } from './presented-errors.ts'

/** Emits the events of a handler. */
export interface Reporter {
  /** Reports an answer if it is a refusal of access. */
  answered(answer: Answer, exchange: Exchange): void
  /** Reports a failure and returns the id that the client gets. */
  failed(exchange: Exchange, cause: unknown, code: FailureCode, path: string | null): string
}

export interface ReporterOptions {
  readonly observe?: {
    readonly onEvent?: (event: AccessEvent) => void
    readonly requestId?: (request: HttpRequest) => string | null
  }
  readonly addresses?: AddressReader
  readonly now?: () => number
}

type RequestFacts = Omit<EventFacts, 'at' | 'device'> &
  Pick<LatchkeyEvent, 'impersonatorId'> & { readonly clientId: string | null }

export function createReporter({
  observe: { onEvent, requestId = () => null } = {},
  addresses = createAddressReader(),
  now = wallClock,
}: ReporterOptions): Reporter {
  const emit = createEmitter<AccessEvent>({ onEvent, now })

  function factsOf({ request, requestIdentity, elapsed }: Exchange): RequestFacts {
    const identity = requestIdentity?.identity ?? null
    const address = addresses.read(request)
    return {
      accountId: identity?.kind === 'account' ? identity.subject : null,
      clientId: identity?.kind === 'client' ? identity.subject : (identity?.clientId ?? null),
      sessionKey: identity?.key ?? null,
      address: address === null ? null : addresses.limitKey(address),
      requestId: requestId(request),
      durationMs: elapsed(),
      ...(identity && identity.impersonator !== null && { impersonatorId: identity.impersonator }),
    }
  }

  return {
    answered({ status, body: { errors = [] } }, exchange) {
      const [first] = errors
      if (!first || (status !== 401 && status !== 403)) return
      const paths = errors.flatMap(({ path }) => path?.join('.') ?? [])
      emit({ type: 'access.denied', ...factsOf(exchange), code: codeOf(first), status, paths })
    },
    failed(exchange, cause, code, path) {
      const id = randomToken(16)
      emit({ type: 'access.failed', ...factsOf(exchange), code, id, path, cause })
      return id
    },
  }
}
