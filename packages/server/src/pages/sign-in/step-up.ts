import { AccessError, isAccessError } from '@latchkey/graphql'
import type { HttpReply } from '@latchkey/http'
import type { AnyPolicy, Identity, RuleOf } from '@latchkey/rbac'
import type { PageParts } from '../frame/page-parts.ts'
import { redirect } from '../frame/redirect.ts'
import { withReturn } from '../frame/return-path.ts'
import { writePendingStep } from './pending-step.ts'

/** Who is signed in to the service itself: the rule of all that the pages of an account show. */
export const signedIn = { authenticated: true, firstParty: true } as const

/** What adds or removes a factor: the rule of the fields that do it. */
export function freshFactor(recoveryCode: boolean): AccountRule {
  return { ...signedIn, stepUp: { maxAgeSeconds: 300, ifEnrolled: true, ...(recoveryCode && { recoveryCode }) } }
}

type AccountRule = Exclude<RuleOf<AnyPolicy>, 'public'>

export interface FreshProof {
  readonly rule: AccountRule
  /** The page to come back to. */
  readonly returnTo: string
  /** A recovery code is enough, because what is lost is replaced or removed. */
  readonly recoveryCode?: boolean
}

/**
 * Does what a fresh proof is needed for. Without one it leads to the page that asks for it: for a second factor where the
 * account has one, otherwise for the password.
 */
export async function withFreshProof(
  parts: PageParts,
  proof: FreshProof,
  act: (identity: Identity) => Promise<HttpReply>,
): Promise<HttpReply> {
  let identity: Identity
  try {
    identity = parts.authorize(proof.rule)
  } catch (error) {
    if (isAccessError(error) && error.code === 'STEP_UP_REQUIRED') return askForProof(parts, error, proof)
    throw error
  }
  return act(identity)
}

/** Leads to the page that asks for one of the factors of the refusal. */
export async function askForProof(
  parts: PageParts,
  { extensions }: AccessError,
  { returnTo, recoveryCode = false }: Pick<FreshProof, 'returnTo' | 'recoveryCode'>,
): Promise<HttpReply> {
  const { frame, identity, accounts, cookies, reply } = parts
  if (!identity) throw new AccessError('UNAUTHENTICATED')
  const kinds = [...readKinds(extensions.factors), ...(recoveryCode ? ['recovery-code'] : [])]
  const { challenge, factors } =
    identity.enrolledFactors.length > 0
      ? await accounts.startStepUp({ identity, kinds })
      : { challenge: null, factors: [] }
  if (challenge === null) return redirect(frame, withReturn('/confirm-password', returnTo))
  reply.setCookie(cookies.challenge.write(writePendingStep({ challenge, factors })))
  return redirect(frame, withReturn('/second-factor', returnTo))
}

function readKinds(factors: unknown): readonly string[] {
  return Array.isArray(factors) ? factors.filter((kind) => typeof kind === 'string') : []
}
