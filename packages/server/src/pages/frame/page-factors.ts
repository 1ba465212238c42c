import type { FactorChangeResult, FinishPasskeySignInInput, IssuedCredentials, SignInResult } from '@latchkey/accounts'
import type { AccountSessionOptions } from '../../accounts-schema/account-session.ts'

/** What was answered to a second step or a passkey, as far as a page needs it: the cookies are set. */
export type StepResult =
  | { readonly ok: true; readonly status: 'signed-in' }
  | {
      readonly ok: true
      readonly status: 'second-factor-required'
      readonly challenge: string
      readonly factors: readonly string[]
    }
  | { readonly ok: false }

/** The use cases of second factors that read and write cookies. */
export interface PageFactors {
  /** Answers a challenge with a code. */
  verify(input: { readonly challenge: string; readonly code: string }): Promise<StepResult>
  /** Signs in with a passkey, or answers a challenge with it. */
  finishPasskey(input: { readonly response: string; readonly challenge: string | null }): Promise<StepResult>
  /** Sets the cookie of the session that a change has renewed, and returns the new recovery codes. */
  deliver(
    result: FactorChangeResult,
  ): { readonly ok: true; readonly codes: readonly string[] | null } | { readonly ok: false }
}

/** A step of a page is delivered by the session cookie; a step-up renews it. */
export function createPageFactors(options: AccountSessionOptions): PageFactors {
  const { accounts, deliverer } = options
  return {
    verify: async (input) =>
      finish(options, await accounts.verifySecondFactor({ ...input, ...(await stepOf(options)) })),
    finishPasskey: async (input) =>
      finish(options, await accounts.finishPasskeySignIn({ ...input, ...(await stepOf(options)) })),
    deliver(result) {
      if (!result.ok) return { ok: false }
      if (result.credentials) deliverer.session(result.credentials)
      deliverer.device(result.deviceToken, 'session')
      return { ok: true, codes: result.codes }
    },
  }
}

type Step = Omit<FinishPasskeySignInInput, 'response' | 'challenge'>

async function stepOf({ base, request, read, sessions }: AccountSessionOptions): Promise<Step> {
  const { sessionCredential, device, attempt } = read()
  const replaces = await sessions.read(sessionCredential, request)
  return { delivery: 'session', device, replaces, identity: base.identity, allowsNative: false, attempt }
}

async function finish({ deliverer }: AccountSessionOptions, result: SignInResult): Promise<StepResult> {
  if (!result.ok) return { ok: false }
  if (result.status === 'second-factor-required') return result
  deliverSession(deliverer, result.credentials)
  deliverer.device(result.deviceToken, 'session')
  return { ok: true, status: 'signed-in' }
}

/** A page has asked for a session, and is itself asked by one. */
function deliverSession(deliverer: AccountSessionOptions['deliverer'], credentials: IssuedCredentials): void {
  if (credentials.delivery !== 'session') throw new TypeError('a page can deliver a session only')
  deliverer.session(credentials)
}
