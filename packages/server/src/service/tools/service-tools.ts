import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { startDuration } from '@latchkey/core/internal'
import { type RequestSteps, reidentify as reidentifyLate, rejectRequest } from '@latchkey/graphql/internal'
import type { HttpRequest, HttpResponse, IdentityReader, IdentityReading } from '@latchkey/http'
import { createRateLimit, type RateLimit } from '@latchkey/rate-limit'
import type { Identity } from '@latchkey/rbac'
import { createMemoryCounterStore } from '@latchkey/store'
import type { McpCall, ServiceMcp } from '../../options/mcp/service-mcp.ts'
import { requestEventFields } from '../../options/observe/request-event-fields.ts'
import type { ServicePlan } from '../plan/service-plan.ts'
import { innerRequest } from './inner-request.ts'
import { startToolCall, type ToolCall, type ToolCallParts } from './tool-calls.ts'

/** The tools of an open service. */
export interface ServiceTools {
  readonly verdicts: ServiceMcp['verdicts']
  readonly identify: IdentityReader<Identity>
  /** Responds to a request whose sender was read by `identify`. */
  respond(request: HttpRequest, reading: IdentityReading<Identity>): Promise<HttpResponse>
  /** Returns what was thrown as a refusal of GraphQL. */
  reject(request: HttpRequest, error: unknown): HttpResponse
}

export interface ServiceToolsParts extends Pick<ToolCallParts, 'recorder'> {
  readonly secrets: SecretKeys
  readonly publishedScopes: readonly string[]
  /** Executes the operations of tools. */
  readonly steps: RequestSteps
  readonly identify: IdentityReader<Identity>
  readonly reidentify: IdentityReader<Identity>
}

/** Creates the tools of the option `mcp`; `null`: it is omitted. */
export function createServiceTools(plan: ServicePlan, parts: ServiceToolsParts): ServiceTools | null {
  const { access, pages, resources, options } = plan
  const { publishedScopes, identify, steps } = parts
  if (!options.mcp || !resources.mcp) return null
  const mcp = options.mcp({
    access,
    publishedScopes,
    resource: resources.mcp.address,
    ...(pages.name !== null && { name: pages.name }),
  })
  const limit = createCallLimit(plan, parts.secrets)
  return {
    verdicts: mcp.verdicts,
    identify,
    async respond(request, reading) {
      const response = await mcp.respond(request, callOf(request, reading, { ...parts, plan, limit }))
      if (reading.identity === null && response.status === 401) reportRefusal(plan, request, response)
      return response
    },
    reject: (request, error) => rejectRequest(request, error, steps),
  }
}

interface CallParts extends ServiceToolsParts {
  readonly plan: ServicePlan
  readonly limit: RateLimit
}

function callOf(request: HttpRequest, reading: IdentityReading<Identity>, parts: CallParts): McpCall {
  const { plan, recorder, limit } = parts
  const { identity, credential } = reading
  const call = startToolCall(plan, { recorder, request, identity })
  const elapsed = startDuration()
  return {
    identity,
    isTokenRefused: credential !== null && identity === null,
    execute: (operation) => execute(operation, { ...parts, request, reading, call, isLate: elapsed() > lateAfterMs }),
    async limit() {
      const verdict = await limit.take(...limitKeyOf(identity))
      return verdict.ok ? null : { retryAfterSeconds: verdict.retryAfterSeconds }
    },
    called: (done) => call.end(done),
  }
}

/** Its sender may take half a minute for the body, in which the credential may end. */
const lateAfterMs = 250

interface ExecuteParts extends CallParts {
  readonly request: HttpRequest
  readonly reading: IdentityReading<Identity>
  readonly call: ToolCall
  readonly isLate: boolean
}

type Operation = Parameters<McpCall['execute']>[0]

async function execute(operation: Operation, parts: ExecuteParts): Promise<HttpResponse> {
  const { plan, steps, request, reading, call, isLate, reidentify } = parts
  const { query, operationName, variables, kind, documentHash } = operation
  const exchange = steps.start(innerRequest(request, plan))
  // Marked as forged, because no proof shows which page has sent it: tools cannot use fields that need this proof.
  const requestIdentity = { ...reading, forged: true, headers: [], reidentify: () => reidentify.read(request) }
  Object.assign(exchange, {
    requestIdentity,
    isBodyLate: isLate,
    isBodyRead: true,
    body: { query, operationName, variables },
  })
  try {
    await reidentifyLate(exchange)
    await call.begin({ tool: operationName, kind, documentHash })
    return await steps.respond(exchange)
  } catch (error) {
    return steps.reject(exchange, error)
  }
}

/** One grant is the consent of an account to a client, however many families of tokens it has. */
function limitKeyOf(identity: Identity | null): readonly [string, string] {
  if (!identity) return ['none', '']
  if (identity.apiKey !== null) return ['key', identity.apiKey]
  return identity.grant === null ? ['client', identity.clientId ?? identity.subject] : ['grant', identity.grant]
}

function createCallLimit({ options, now }: ServicePlan, secrets: SecretKeys): RateLimit {
  const { counters = createMemoryCounterStore({ now }) } = options.stores
  return createRateLimit({
    name: 'mcp-calls',
    limit: 120,
    windowSeconds: 60,
    counters,
    secrets: deriveSecrets(secrets, 'mcp-limits'),
    now,
  })
}

/** No operation has executed, which would have reported it. */
function reportRefusal(plan: ServicePlan, request: HttpRequest, { headers }: HttpResponse): void {
  const [, scope = ''] = headers.map(([, value]) => /\bscope="([^"]*)"/.exec(value)).find((found) => found) ?? []
  plan.emit({
    type: 'access.denied',
    ...requestEventFields(request, plan),
    clientId: null,
    code: 'UNAUTHENTICATED',
    status: 401,
    paths: [],
    scopes: scope === '' ? [] : scope.split(' '),
  })
}
