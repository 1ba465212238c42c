import type { AuthorizationRequest } from '../checks/authorization-request.ts'
import type { Asked, Check } from '../checks/check.ts'
import { checkAcrValues } from '../checks/check-acr-values.ts'
import { checkChallenge } from '../checks/check-challenge.ts'
import { checkIdTokenHint } from '../checks/check-id-token-hint.ts'
import { checkKeyBinding } from '../checks/check-key-binding.ts'
import { checkLoginHint } from '../checks/check-login-hint.ts'
import { checkMaxAge } from '../checks/check-max-age.ts'
import { checkNonce } from '../checks/check-nonce.ts'
import { checkPrompt } from '../checks/check-prompt.ts'
import { checkRepetition } from '../checks/check-repetition.ts'
import { checkRequestObject } from '../checks/check-request-object.ts'
import { checkResource } from '../checks/check-resource.ts'
import { checkResponse } from '../checks/check-response.ts'
import { checkScope } from '../checks/check-scope.ts'
import { checkState } from '../checks/check-state.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { Refusal } from '../responses/refusal.ts'

/** The checks of a request with a known client and redirect, in this order. The first refusal is the answer. */
const checks: readonly Check<keyof AuthorizationRequest>[] = [
  checkRepetition,
  checkState,
  checkRequestObject,
  checkResponse,
  checkChallenge,
  checkScope,
  checkNonce,
  checkPrompt,
  checkMaxAge,
  checkAcrValues,
  checkLoginHint,
  checkIdTokenHint,
  checkResource,
  checkKeyBinding,
] as readonly Check<keyof AuthorizationRequest>[]

/** Returns the request of a client, or the first broken rule. */
export async function checkRequest(
  context: ServerContext,
  asked: Asked,
): Promise<{ readonly ok: true; readonly request: AuthorizationRequest } | Refusal> {
  const { client, document, redirectUri } = asked
  let request: Partial<AuthorizationRequest> = { clientId: client.id, document, redirectUri }
  for (const check of checks) {
    const read = await check(asked, context)
    if ('ok' in read) return read
    request = { ...request, ...read }
  }
  return { ok: true, request: request as AuthorizationRequest }
}
