import type { Accounts } from '../../contract/accounts.ts'

/** The signed-in user, and the origin of the request. */
export type FactorInput = Parameters<Accounts['startTotpEnrollment']>[0]

/** How the answer to a challenge is delivered. */
export type SecondStepInput = Omit<Parameters<Accounts['verifySecondFactor']>[0], 'challenge' | 'code'>

export type EnrollmentResult = Awaited<ReturnType<Accounts['startTotpEnrollment']>>

export type PasskeyRequest = Extract<Awaited<ReturnType<Accounts['startPasskeySignIn']>>, { readonly ok: true }>

export type PasskeyAdded = Extract<Awaited<ReturnType<Accounts['finishPasskeyRegistration']>>, { readonly ok: true }>

export type FactorChangeResult = Awaited<ReturnType<Accounts['confirmTotpEnrollment']>>

export type FactorChanged = Extract<FactorChangeResult, { readonly ok: true }>

export type ListedFactor = Awaited<ReturnType<Accounts['listFactors']>>[number]
