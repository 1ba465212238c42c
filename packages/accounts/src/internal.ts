// @internal: changes in any release.
export { checkAccountLife } from './context/check-account-life.ts'
export { readImpersonation } from './context/read-impersonation.ts'
export { type ReadSecondFactorPolicy, readSecondFactorPolicy } from './context/read-second-factor-policy.ts'
export { readRememberDevices } from './devices/remembered-devices.ts'
export type { SecondFactorKind } from './factors/second-factors.ts'
export { readEmailCode } from './mail/sign-in-codes.ts'
export { type Providers, readProviders } from './providers/provider-options.ts'
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
