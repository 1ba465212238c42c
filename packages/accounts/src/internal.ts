// @internal: changes in any release.
export { checkAccountLife } from './context/check-account-life.ts'
export { readEmailCode } from './context/read-email-code.ts'
export { readImpersonation } from './context/read-impersonation.ts'
export { readProviders } from './context/read-providers.ts'
export { readSecondFactorPolicy } from './context/read-second-factor-policy.ts'
export { readTrustedDevices } from './context/read-trusted-devices.ts'
export type { SecondFactorKind } from './factors/second-factors.ts'
export { createProviderLinks, type ProviderLinks } from './providers/provider-links.ts'
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
