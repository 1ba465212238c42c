import type { Accounts } from '@latchkey/accounts'
import type { AuditLog } from '@latchkey/audit'
import type { AuthContext, GraphqlHandlerOptions, StepUpHook } from '@latchkey/graphql'
import { createRequestSteps, type RequestSteps } from '@latchkey/graphql/internal'
import type { ForgeryCheck, HttpRequest, IdentityReader } from '@latchkey/http'
import type { AnyPolicy, Identity, OpenRoles } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'
import type { FlatOptions } from '../options/server/flat-options.ts'
import { areFactorsOffered } from '../options/server/second-factors.ts'
import type { ServerContext } from '../schema/server-context.ts'
import { stepUpKinds } from '../schema/step-up-kinds.ts'
import { translateError } from '../schema/translate-error.ts'
import { type AccountSessionOptions, createAccountSession } from './account-session/create-account-session.ts'
import { createFactorSession } from './account-session/create-factor-session.ts'
import type { MakeIdentity } from './account-session/credential-verifiers.ts'
import { createDeliverer } from './account-session/deliverer.ts'
import { readAttempt, readPresentedCredentials, withImpersonator } from './account-session/presented-credentials.ts'
import { type ClientConsents, consentsBy } from './clients/client-consents.ts'
import type { IdentityReaders } from './identity-readers.ts'
import { endpointOf } from './plan/endpoint-of.ts'
import type { ServicePlan } from './plan/service-plan.ts'
import { createServiceStreams, type ServiceStreams, streamOptionsOf } from './service-streams.ts'

/** The GraphQL of a service: answered at once, and in streams. */
export interface ServiceEndpoint {
  readonly graphql: RequestSteps
  readonly streams: ServiceStreams
  /** Executes the operations of tools, which the service has written. */
  readonly toolSteps: RequestSteps
}

export interface EndpointParts {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly identify: IdentityReader<Identity>
  readonly ofStreams: IdentityReaders['ofStreams']
  readonly forgery: ForgeryCheck
  readonly roles: OpenRoles<AnyPolicy> | null
  readonly makeIdentity: MakeIdentity
  /** `null` without an audit log. */
  readonly audit: AuditLog | null
  /** Revokes the client token of a request. */
  readonly endClientToken: (request: HttpRequest) => Promise<boolean>
  /** `null` without clients. */
  readonly consents: ClientConsents | null
  /** The scopes that clients and API keys may have, for refusals; `null` without either. */
  readonly publishedScopes: readonly string[] | null
}

export function createServiceEndpoint(plan: ServicePlan, parts: EndpointParts): ServiceEndpoint {
  const { options, measuring } = plan
  const shared = sharedOptions(plan, parts)
  const { requestLimits, ...ofRequests } = endpointOf(options)
  const ofOperations: GraphqlHandlerOptions<AnyPolicy> = {
    ...shared,
    ...(requestLimits && { requestLimits }),
    observe: {
      ...shared.observe,
      ...(measuring && { onMeasurement: measuring.noteOperation }),
      ...(options.telemetry && { traceExecution: options.telemetry.traceExecution }),
    },
  }
  return {
    graphql: createRequestSteps({ ...ofOperations, ...ofRequests }),
    toolSteps: createRequestSteps(ofOperations),
    streams: createServiceStreams({ ...shared, ...streamOptionsOf(options), ...parts.ofStreams }),
  }
}

/** Returns the options that the endpoint and the streams have in common. */
function sharedOptions(plan: ServicePlan, parts: EndpointParts): GraphqlHandlerOptions<AnyPolicy> {
  const { access, cookies, addresses, requestIds, mailLanguage, security, announce, now } = plan
  const presentedBy = { cookies, addresses, requestIds, mailLanguage }
  const { sessions, identify, forgery, makeIdentity, roles, audit, consents, endClientToken, publishedScopes } = parts
  return {
    access,
    identify,
    forgery,
    cookies: [cookies.session, cookies.refresh],
    addresses,
    headers: security.api,
    ...(publishedScopes && { publishedScopes }),
    translateError,
    observe: {
      onEvent(event) {
        // Credentials are judged by the accounts, whose event says more of the same decision.
        if (event.type !== 'access.denied' || event.code !== 'INVALID_CREDENTIALS') announce(event)
      },
      requestId: requestIds.of,
    },
    now,
    ...(areFactorsOffered(plan.options) && { stepUp: stepUpWith(parts.accounts) }),
    context(base, request, reading) {
      const accounts = parts.accounts.forRequest(request)
      const ofRequest = (): AccountSessionOptions => ({
        base,
        request,
        read: () => readPresentedCredentials(request, { ...presentedBy, reading }),
        accounts,
        sessions,
        makeIdentity,
        cookies,
        forgery,
        deliverer: createDeliverer({ response: base.response, cookies, forgery, now }),
        now,
        endClientToken: () => endClientToken(request),
      })
      const own: Omit<ServerContext<AnyPolicy>, keyof AuthContext<AnyPolicy>> = {
        accounts,
        roles,
        audit,
        consents: consents && consentsBy(consents, request),
        accountSession: createAccountSession(ofRequest),
        factorSession: createFactorSession(ofRequest),
        requestId: requestIds.of(request),
        attempt: () => withImpersonator(readAttempt(request, presentedBy), reading.identity),
      }
      const { context } = plan.options
      if (!context) return own
      // What it adds is compared with the base: a name that is taken is refused.
      return { ...own, ...addedContext(context, Object.assign(base, own), request) }
    },
  }
}

/**
 * Starts a step-up for the service's own credentials. Clients renew their tokens themselves, by a new sign-in (RFC
 * 9470).
 */
function stepUpWith(accounts: Accounts): StepUpHook {
  return async (identity, { recoveryCode }) =>
    identity.firstParty && identity.scopes === null
      ? accounts.startStepUp({ identity, kinds: stepUpKinds(recoveryCode) })
      : { challenge: null, factors: [] }
}

function addedContext(
  context: NonNullable<FlatOptions['context']>,
  base: ServerContext<AnyPolicy>,
  request: HttpRequest,
): object {
  const added = context(base, request)
  if (typeof added === 'object' && added !== null && !('then' in added)) return added
  throw new TypeError('"context" must return an object, and no promise of one')
}
