import { startDuration } from '@latchkey/core/internal'
import type { HttpRequest } from '@latchkey/http'
import { createResponseHeaders, type ResponseHeaders } from '@latchkey/http/internal'
import type { AuthContext } from '../access-contract.ts'
import type { PreparedPlan } from '../plan/plan.ts'
import type { RequestFacts } from '../responses/error-table.ts'
import { negotiateMediaType, type ResponseMediaType } from '../responses/negotiate-media-type.ts'
import type { StatusProfile } from '../responses/status-profile.ts'
import { isRead } from './check-request.ts'
import type { Deadline } from './deadline.ts'
import type { RequestIdentity } from './request-identity.ts'

/** A request, with the facts that are known so far. */
export interface Exchange {
  readonly request: HttpRequest
  /** Returns the duration so far in milliseconds; `null` for streams. */
  readonly elapsed: () => number | null
  /** The media type that `Accept` allows; `null`: no supported type. */
  readonly accepted: ResponseMediaType | null
  mediaType: ResponseMediaType
  readonly profile: StatusProfile
  isBodyRead: boolean
  /** Whether the body arrived so late that the identity is read again. */
  isBodyLate: boolean
  /** The JSON of a POST, `null` for a GET. */
  body: unknown
  deadline: Deadline | null
  isTrusted: boolean
  /** Chosen by the client. */
  operationName: string | null
  /** Whether the request has several operations. */
  readonly isBatched: boolean
  /** The bytes of the response that earlier operations of the batch have left; `null` without a batch. */
  readonly responseBytesLeft: number | null
  /** How long caches may keep the answer, in seconds; `null`: not cached. */
  publicMaxAgeSeconds: number | null
  requestIdentity: RequestIdentity | null
  /** The headers that resolvers queue, sent with every answer to the request. */
  readonly queued: ResponseHeaders
  plan: PreparedPlan | null
  /** The context of resolvers. A sign-in changes its identity. */
  context: Pick<AuthContext, 'identity'> | null
}

export function createExchange(request: HttpRequest, profile: StatusProfile): Exchange {
  const accepted = negotiateMediaType(request.headers.get('accept') ?? null)
  return {
    request,
    elapsed: startDuration(),
    accepted,
    mediaType: accepted ?? 'application/json',
    profile,
    isBodyRead: false,
    isBodyLate: false,
    body: null,
    deadline: null,
    isTrusted: false,
    operationName: null,
    isBatched: false,
    responseBytesLeft: null,
    publicMaxAgeSeconds: null,
    requestIdentity: null,
    queued: createResponseHeaders(),
    plan: null,
    context: null,
  }
}

export function requestFacts({
  request,
  mediaType,
  profile,
  isBodyRead,
  requestIdentity,
  plan,
}: Exchange): RequestFacts {
  return {
    method: isRead(request) ? 'GET' : request.method,
    mediaType,
    profile,
    isBodyRead,
    isTokenRefused: requestIdentity?.credential === 'bearer' && requestIdentity.identity === null,
    requiresIdentity: plan?.requiresIdentity ?? false,
  }
}
