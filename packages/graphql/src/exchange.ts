import type { HttpReply, HttpRequest } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import type { Response } from 'graphql-http'
import type { Deadline } from './deadline.ts'
import type { Asked } from './error-table.ts'
import type { Established } from './established.ts'
import { negotiateMediaType, type ResponseMediaType } from './negotiate-media-type.ts'
import type { PreparedPlan } from './prepared-plan.ts'
import type { StatusProfile } from './status-profile.ts'

/** One request and what has become known of it so far. */
export interface Exchange {
  readonly request: HttpRequest
  /** What `Accept` allows; `null`: nothing that can be answered. */
  readonly accepted: ResponseMediaType | null
  readonly mediaType: ResponseMediaType
  readonly profile: StatusProfile
  isBodyRead: boolean
  /** The JSON of a POST, `null` for a GET. */
  body: unknown
  deadline: Deadline | null
  established: Established<Identity> | null
  plan: PreparedPlan | null
}

export function createExchange(request: HttpRequest, profile: StatusProfile): Exchange {
  const accepted = negotiateMediaType(request.header('accept'))
  const nothing = { isBodyRead: false, body: null, deadline: null, established: null, plan: null }
  return { request, accepted, mediaType: accepted ?? 'application/json', profile, ...nothing }
}

export function askedOf({ request, mediaType, profile, isBodyRead, established, plan }: Exchange): Asked {
  const { credential, identity } = established?.reading ?? { credential: null, identity: null }
  return {
    method: request.method,
    mediaType,
    profile,
    isBodyRead,
    isTokenRefused: credential === 'bearer' && identity === null,
    requiresIdentity: plan?.requiresIdentity ?? false,
  }
}

/** Never kept by a cache: the same URL answers everybody, each by their credentials. */
const fixedHeaders = [
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
] as const

/** Adds what resolvers queued; what the table decided stays as it is. */
export function toReply([body, { status, headers = {} }]: Response, { established }: Exchange): HttpReply {
  const own = [...Object.entries(headers), ...fixedHeaders]
  const queued = established?.reply.headers() ?? []
  if (queued.length === 0) return { status, headers: own, body }
  const taken = new Set(own.map(([name]) => name))
  return { status, headers: [...own, ...queued.filter(([name]) => !taken.has(name.toLowerCase()))], body }
}
