// @internal: changes in any release.

export type { SignInRefusal } from './accounts-event.ts'
export type { JudgedAttempt } from './attempt.ts'
export { checkAccountLife } from './context/check-account-life.ts'
export { keyDaysByDefault, longestKeyDays, readApiKeyLimits } from './context/read-api-keys.ts'
export { readEmailCode } from './context/read-email-code.ts'
export { readImpersonation } from './context/read-impersonation.ts'
export { readProviders } from './context/read-providers.ts'
export { readSecondFactorPolicy } from './context/read-second-factor-policy.ts'
export { readTrustedDevices } from './context/read-trusted-devices.ts'
export type { CredentialUse } from './context/session-reader.ts'
export type { SecondFactorKind } from './factors/second-factors.ts'
export type { MailData, MailKind } from './message.ts'
export type { LinkedProvider } from './providers/linked-provider.ts'
export { createProviderLinks, type ProviderLinks } from './providers/provider-links.ts'
export type { IdentityFacts } from './sign-in/identity-facts.ts'
export type { SessionCredentials, TokenCredentials } from './sign-in/issue-credentials.ts'
export type { ImpersonationCredentials } from './sign-in/issue-impersonation.ts'
export {
  type SignInGuard,
  type SignInState,
  type SignInStep,
  type SignInTransition,
  signInTransitions,
} from './sign-in/sign-in-transitions.ts'
export {
  type AuditedActor,
  type AuditedEvent,
  type AuditedKind,
  auditedKinds,
  type UnauditedEvent,
  unauditedKinds,
} from './trail/audited-kinds.ts'
export {
  type Audited,
  type AuditOnly,
  type AuditRecorder,
  type AuditRecorderOptions,
  createAuditRecorder,
  type Intended,
  type TrailStep,
} from './trail/create-audit-recorder.ts'
export type { SecondFactorRequired } from './use-cases/continue-sign-in.ts'
export type {
  EnrollmentResult,
  FactorChanged,
  FactorChangeResult,
  ListedFactor,
  PasskeyAdded,
  PasskeyRequest,
  SecondStepInput,
} from './use-cases/factors/factor-inputs.ts'
export type { SignInSuccess } from './use-cases/open-credentials.ts'
export type { LinkedSignUp, LinkValid } from './use-cases/own-account/check-link.ts'
export type { EmailChangeConfirmed } from './use-cases/own-account/confirm-email-change.ts'
export type { DeleteAccountResult } from './use-cases/own-account/delete-account.ts'
export type { EndProviderSessionsInput } from './use-cases/providers/end-provider-sessions.ts'
