import { AccessError, isAccessError } from '@latchkey/graphql'
import type { HttpResponse } from '@latchkey/http'
import type { AnyPolicy, Identity, RuleOf } from '@latchkey/rbac'
import type { PageParts } from '../../page-kit/page-parts.ts'
import { signedIn } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { withReturn } from '../../page-kit/return-path.ts'
import { stepUpKinds } from '../../schema/step-up-kinds.ts'
import { writePendingStep } from '../../service/account-session/pending-step.ts'

/** The rule of changes to second factors. An account without a factor may add its first one without a fresh proof. */
export function freshFactor(recoveryCode: boolean, who: AccountRule = signedIn): AccountRule {
  return { ...who, stepUp: { maxAgeSeconds: 300, ifEnrolled: true, ...(recoveryCode && { recoveryCode }) } }
}

type AccountRule = Exclude<RuleOf<AnyPolicy>, string>

export interface FreshProof {
  readonly rule: AccountRule
  /** The page to come back to; `null`: the home of the application. */
  readonly returnTo: string | null
  /** A recovery code is enough, because what is lost is replaced or removed. */
  readonly recoveryCode?: boolean
}

/**
 * Acts if there is a fresh proof. Otherwise redirects to the page that takes one: a second factor if the account has
 * one, the first factor if not.
 */
export async function withFreshProof(
  parts: PageParts,
  proof: FreshProof,
  act: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  return hasFreshProof(parts, proof.rule) ? act() : askForProof(parts, proof)
}

/** Returns whether the request has a fresh proof. @throws AccessError for any other refusal. */
export function hasFreshProof({ authorize }: Pick<PageParts, 'authorize'>, rule: AccountRule): boolean {
  try {
    authorize(rule)
    return true
  } catch (error) {
    if (isAccessError(error) && error.code === 'STEP_UP_REQUIRED') return false
    throw error
  }
}

/** Redirects to the page that takes a fresh proof. */
export async function askForProof(
  parts: PageParts,
  { returnTo, recoveryCode = false }: Pick<FreshProof, 'returnTo' | 'recoveryCode'>,
): Promise<HttpResponse> {
  const { frame, identity, accounts, cookies, response, offers } = parts
  if (!identity) throw new AccessError('UNAUTHENTICATED')
  // Without a second factor, only a sign-in without a password may belong to an account without a password.
  const hasOtherWays = offers.emailCode || offers.providers
  const isAsked = identity.enrolledFactors.length > 0 || (hasOtherWays && !hasPresentedPassword(identity))
  const { challenge, factors } = isAsked
    ? await accounts.startStepUp({ identity, kinds: stepUpKinds(recoveryCode) })
    : { challenge: null, factors: [] }
  if (challenge === null) return redirect(frame, withReturn(pageOf(factors, offers), returnTo))
  response.setCookie(cookies.challenge.write(writePendingStep({ challenge, factors })))
  return redirect(frame, withReturn('/second-factor', returnTo))
}

/** Returns the page that takes the first factor again. */
function pageOf(factors: readonly string[], { providers }: PageParts['offers']): string {
  if (providers && factors.includes('provider')) return '/confirm-provider'
  return factors.includes('email-code') ? '/sign-in-code' : '/confirm-password'
}

function hasPresentedPassword({ factors }: Identity): boolean {
  return factors.some(({ kind }) => kind === 'password')
}
