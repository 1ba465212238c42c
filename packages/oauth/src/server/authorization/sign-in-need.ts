import type { AuthorizationRequest } from '../checks/authorization-request.ts'
import { acrValues, authenticationOf } from '../context/authentication.ts'
import type { SignedIn } from '../context/server-options.ts'

/** The parts of a session that a request depends on. */
export interface JudgedSession extends SignedIn {
  readonly lineage: string
  /** The time of the latest proof, in epoch milliseconds; 0: no proof has a time. */
  readonly authenticatedAt: number
}

export function judgeSession(session: SignedIn): JudgedSession {
  const { key, lineage = key } = session
  return { ...session, lineage, authenticatedAt: Math.max(0, ...session.factors.map(({ at }) => at)) }
}

/**
 * Returns whether a user must sign in, or sign in again, before a request is answered.
 *
 * @param times `since`: the start of the wait, in epoch milliseconds; `null`: the request is new. A proof after it is fresh.
 */
export function needsSignIn(
  session: JudgedSession,
  request: AuthorizationRequest,
  { since, now }: { readonly since: number | null; readonly now: number },
): boolean {
  const { prompt, maxAgeSeconds, subject } = request
  const isFresh = since !== null && session.authenticatedAt >= since
  const age = now - session.authenticatedAt
  if ((prompt.includes('login') || prompt.includes('select_account')) && !isFresh) return true
  if (maxAgeSeconds !== null && !isFresh && age >= maxAgeSeconds * 1000) return true
  if (subject !== null && session.subject !== subject) return true
  // Requested classes are optional: the user is asked once.
  return since === null && !meetsAcrValues(session, request)
}

/**
 * The step that a user must still take before a request can be allowed: a sign-in, or a further factor of the same
 * sign-in.
 */
export type SignInNeed = 'sign-in' | 'second-factor'

/** Returns the next step of the user of a waiting request; `null`: no step is left. */
export function findNeed(
  session: JudgedSession | null,
  request: AuthorizationRequest,
  times: { readonly since: number; readonly now: number },
): SignInNeed | null {
  if (!session || needsSignIn(session, request, times)) return 'sign-in'
  return meetsAcrValues(session, request) ? null : 'second-factor'
}

function meetsAcrValues(session: JudgedSession, { acrValues: asked }: AuthorizationRequest): boolean {
  const { acr } = authenticationOf(session.factors)
  return asked.length === 0 || acr === acrValues[1] || asked.includes(acr)
}
