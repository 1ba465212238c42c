import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { GraphQLError } from 'graphql'
import type { PrepareInput } from '../access-contract.ts'
import { AccessError } from '../errors.ts'
import type { OperationPlan } from '../plan/plan.ts'
import { impersonated, keptFromKeys, locate, refusal } from '../refusal.ts'

type RequestTraits = Pick<PrepareInput<AnyPolicy>, 'method' | 'credential' | 'forged' | 'batched' | 'csrf'>

/** Returns the errors of the request itself, for any identity: at most one error. */
export function requestErrors(
  { operation: { operation }, credential, misuse }: OperationPlan,
  identity: Identity | null,
  manner: RequestTraits,
): readonly GraphQLError[] {
  const { method = 'POST', forged = false, batched = false, credential: shown } = manner
  if (method === 'GET' && (operation === 'mutation' || credential)) return [refusal('METHOD_NOT_ALLOWED')]
  if (misuse) return [locate(aloneError, { node: misuse, path: [(misuse.alias ?? misuse.name).value] })]
  if (batched && credential) return [batchedError]
  if (forged && credential) return [refusal('CSRF_REJECTED')]
  // Many of these fields are public, so no rule would refuse them.
  const kept = credential && identity !== null ? keptFrom(identity) : null
  if (kept !== null) return [kept]
  // A cookie without a session is of no use to a forger.
  const isOverSession = shown === 'cookie' && identity !== null && operation === 'mutation'
  return isOverSession && manner.csrf && !manner.csrf() ? [unprovenError] : []
}

/** The first refusal that authors of clients meet, so it names the header. */
const unprovenError = refusal('CSRF_REJECTED', {
  message:
    "Mutations authenticated by the session cookie must send the session's CSRF token in the x-csrf-token header.",
})

const impersonatedRefusal = refusal('FORBIDDEN', impersonated)

/** Only the owner of an account may use fields that test a secret. */
function keptFrom({ impersonator, apiKey }: Identity): GraphQLError | null {
  if (impersonator !== null) return impersonatedRefusal
  return apiKey === null ? null : apiKeyRefusal
}

const apiKeyRefusal = refusal('FORBIDDEN', keptFromKeys)

const aloneError = new AccessError('QUERY_LIMIT_EXCEEDED', {
  message: 'A field that tests a secret must be the only root field of its operation.',
})

const batchedError = refusal('QUERY_LIMIT_EXCEEDED', {
  message: 'A field that tests a secret cannot be part of a batch. Send it in its own request.',
})
