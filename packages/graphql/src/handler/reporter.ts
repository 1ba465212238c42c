import { randomToken } from '@latchkey/bytes'
import { isFailure, type LatchkeyEvent, printEvent } from '@latchkey/core'
import { createEmitter, type EventFacts, wallClock } from '@latchkey/core/internal'
import { type AddressReader, createAddressReader, type HttpRequest } from '@latchkey/http'
import type { GraphQLError } from 'graphql'
import type { AccessEvent } from '../access-event.ts'
import type { AccessErrorCode } from '../errors.ts'
import type { Answer } from '../responses/answer.ts'
import { codeOf } from '../responses/error-table.ts'
import type { RequestLimits } from './endpoint-options.ts'
import type { Exchange } from './exchange.ts'
import type { FailureCode } from './presented-errors.ts'

/** Emits the events of a handler. */
export interface Reporter {
  /** Reports an answer if it is a refusal of access. */
  answered(answer: Answer, exchange: Exchange): void
  /** Reports a failure and returns the id that the client gets. */
  failed(exchange: Exchange, cause: unknown, code: FailureCode, path: string | null): string
  /** Reports limits that a request has exceeded; for a client with many, only a few. */
  exceeded(exchange: Exchange, limits: readonly Exceeded[]): void
}

type Exceeded = Omit<Extract<AccessEvent, { type: 'limit.exceeded' }>, keyof LatchkeyEvent | 'clientId'>

export interface ReporterOptions {
  /** The limits that are reported by the code of the refusal. */
  readonly requestLimits?: RequestLimits
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
  observe: { onEvent = printWarning, requestId = () => null } = {},
  addresses = createAddressReader(),
  now = wallClock,
  requestLimits,
}: ReporterOptions): Reporter {
  const limits = createExceededLimits(now)
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

  function exceeded(exchange: Exchange, all: readonly Exceeded[]): void {
    if (all.length === 0) return
    const facts = factsOf(exchange)
    const by = exceederOf(facts)
    for (const one of all) {
      const operationName = one.operationName === null ? null : nameIn(one.operationName)
      if (!limits.note({ limit: one.limit, operationName, by })) continue
      emit({ type: 'limit.exceeded', ...facts, ...one, operationName })
    }
  }

  return {
    exceeded,
    answered({ status, body: { errors = [] } }, exchange) {
      const [first] = errors
      if (!first) return
      if (requestLimits) exceeded(exchange, sizesExceeded(first, exchange, requestLimits))
      if (status !== 401 && status !== 403) return
      const paths = errors.flatMap(({ path }) => path?.join('.') ?? [])
      const code = deniedCode(first, exchange)
      emit({ type: 'access.denied', ...factsOf(exchange), code, status, paths, scopes: scopesOf(first) })
    },
    failed(exchange, cause, code, path) {
      const id = randomToken(16)
      emit({ type: 'access.failed', ...factsOf(exchange), code, id, path, cause })
      return id
    },
  }
}

function scopesOf({ extensions: { scopes } }: GraphQLError): readonly string[] {
  return Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : []
}

/** A public credential field needs no identity, so its `UNAUTHENTICATED` means rejected credentials. */
function deniedCode(error: GraphQLError, { plan }: Exchange): AccessErrorCode {
  const code = codeOf(error)
  return code === 'UNAUTHENTICATED' && plan?.credential && !plan.requiresIdentity ? 'INVALID_CREDENTIALS' : code
}

/** Without a listener, failures and exceeded limits are printed, because the operator can act on them. */
function printWarning(event: AccessEvent): void {
  if (isFailure(event) || event.type === 'limit.exceeded') printEvent(event)
}

/** Returns a short GraphQL name for the log; other text is dropped. */
function nameIn(text: string): string | null {
  return /^[_A-Za-z][_0-9A-Za-z]{0,99}/.exec(text)?.[0] ?? null
}

const sizeCodes = {
  PAYLOAD_TOO_LARGE: 'bodyBytes',
  URI_TOO_LONG: 'urlBytes',
  RESPONSE_TOO_LARGE: 'responseBytes',
} as const

function sizesExceeded(
  error: GraphQLError,
  { operationName }: Exchange,
  requestLimits: RequestLimits,
): readonly Exceeded[] {
  const code = codeOf(error)
  if (!(code in sizeCodes)) return []
  const known = code as keyof typeof sizeCodes
  const limit = sizeCodes[known]
  return [{ code: known, limit, value: null, allowed: requestLimits[limit], operationName, cost: null, refused: true }]
}

/** The exceeded limit and its client. */
interface ExceededKey {
  readonly limit: string
  /** Chosen by the client. */
  readonly operationName: string | null
  readonly by: Exceeder
}

/** An account, an OAuth client, or the limit key of an address. An `id` of `null` is unknown. */
interface Exceeder {
  readonly kind: 'account' | 'client' | 'address'
  readonly id: string | null
}

/** The limits that were exceeded within the last hour. */
interface ExceededLimits {
  /** Returns whether to report it: once an hour for each operation of a client that exceeds a limit. */
  note(key: ExceededKey): boolean
}

/** Clients choose the names of operations, so the log must not grow with them. */
const reportsOfOneAtMost = 10
/** The number of clients reported for an operation and a limit. Of later clients, the 20th, 40th, 80th and so on are reported. */
const reportedClients = 10
/** Forgotten clients are reported again. */
const rememberedAtMost = 1000
const forgottenAfterMs = 3_600_000

function createExceededLimits(now: () => number): ExceededLimits {
  const reportsOf = new Map<string, Set<string>>()
  const clientsOf = new Map<string, number>()
  let since = Number.NEGATIVE_INFINITY
  return {
    note({ limit, operationName, by }) {
      const at = now()
      if (at - since >= forgottenAfterMs) {
        reportsOf.clear()
        clientsOf.clear()
        since = at
      }
      const client = `${by.kind} ${by.id}`
      // Kinds are counted separately: addresses without an account cannot hide accounts.
      const key = `${by.kind} ${limit} ${operationName ?? ''}`
      const reports = reportsOf.get(client) ?? new Set()
      if (reports.has(key) || reports.size >= reportsOfOneAtMost) return false
      remember(reportsOf, client, reports.add(key))
      const clients = (clientsOf.get(key) ?? 0) + 1
      remember(clientsOf, key, clients)
      return clients <= reportedClients || Number.isInteger(Math.log2(clients / reportedClients))
    },
  }
}

function exceederOf({ accountId, clientId, address }: RequestFacts): Exceeder {
  if (accountId !== null) return { kind: 'account', id: accountId }
  return clientId === null ? { kind: 'address', id: address } : { kind: 'client', id: clientId }
}

function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  const [oldest] = map.keys()
  if (oldest !== undefined && !map.has(key) && map.size >= rememberedAtMost) map.delete(oldest)
  map.set(key, value)
}
