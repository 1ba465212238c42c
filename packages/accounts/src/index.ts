export type { AccountAdministration } from './account-administration.ts'
export type { AccountFactors } from './account-factors.ts'
export type { AccountImpersonation } from './account-impersonation.ts'
export type { AccountProviders } from './account-providers.ts'
export type {
  AccountsEvent,
  ImpersonationRefusal,
  LinkPurpose,
  SecondFactorRefusal,
  SignInRefusal,
  WithheldMail,
} from './accounts-event.ts'
export { type Attempt, type PresentedAttempt, unknownAttempt } from './attempt.ts'
export type { WaitingRequest } from './background-work.ts'
export type { AccountsOptions } from './context/accounts-options.ts'
export type { CredentialUse } from './context/session-reader.ts'
export { type Accounts, createAccounts } from './create-accounts.ts'
export { allowNativeDelivery, type Delivery } from './delivery.ts'
export { createKnownDevices, type KnownDevices } from './devices/known-devices.ts'
export { AccountsError, type AccountsErrorCode, isAccountsError, type Refusal, type RefusalReason } from './errors.ts'
export type {
  ActivationOptions,
  BeforeActivation,
  CeremonyOptions,
  PasskeyCeremony,
  PasskeyRefusal,
  PasskeysFactor,
  RecoveryCodesFactor,
  TotpFactor,
  TotpSecret,
} from './factors/second-factors.ts'
export { type AttemptLimits, allowUnlimitedAttempts, createAttemptLimits } from './limits/attempt-limits.ts'
export { englishTexts } from './mail/english-texts.ts'
export type { Mailer, Message } from './mail/mailer.ts'
export type { Mail, MailData, MailKind, MailText, MailTexts } from './mail-kinds.ts'
export type { OwnAccount } from './own-account.ts'
export type { LinkedProvider } from './providers/linked-provider.ts'
export type { ProviderIdentity } from './providers/provider-identity.ts'
export type {
  AccountFacts,
  ClientFacts,
  IdentifiedSession,
  IdentityFacts,
  TokenPresenter,
} from './sign-in/identity-facts.ts'
export type { IssuedCredentials, SessionCredentials, TokenCredentials } from './sign-in/issue-credentials.ts'
export type { BearerCredentials, ImpersonationCredentials } from './sign-in/issue-impersonation.ts'
export type { SignedInIdentity } from './sign-in/signed-in-identity.ts'
export type {
  Account,
  AccountChange,
  AccountStore,
  IdentityReads,
  StoredAccount,
  StoredIdentity,
} from './store/account-store.ts'
export type { AddressReservations, ReservedAddress } from './store/address-reservations.ts'
export { canonicalEmail } from './store/canonical-email.ts'
export { createMemoryAccountStore } from './store/memory-account-store.ts'
export type { AdministrationInput, SetRolesInput } from './use-cases/administration/administer.ts'
export type { FindAccountsInput, FoundAccounts } from './use-cases/administration/find-accounts.ts'
export type { ChangePasswordInput, ChangePasswordResult, PasswordChanged } from './use-cases/change-password.ts'
export type { ConfirmPasswordInput, ConfirmPasswordResult } from './use-cases/confirm-password.ts'
export type { SecondFactorRequired, SignInResult } from './use-cases/continue-sign-in.ts'
export type { CreateAccountInput } from './use-cases/create-account.ts'
export type { RequestSignInCodeInput, SignInCodeRequested } from './use-cases/email-code/request-sign-in-code.ts'
export type { SignInWithCodeInput } from './use-cases/email-code/sign-in-with-code.ts'
export type {
  CodeInput,
  EnrollmentResult,
  FactorChanged,
  FactorChangeResult,
  FactorInput,
  FinishPasskeyRegistrationInput,
  FinishPasskeySignInInput,
  ListedFactor,
  PasskeyAdded,
  PasskeyRequest,
  RegenerateRecoveryCodesInput,
  RemovePasskeyInput,
  RenamePasskeyInput,
  SecondStepInput,
  StartPasskeySignInInput,
  StepUpChallenge,
  StepUpInput,
  VerifySecondFactorInput,
} from './use-cases/factors/factor-inputs.ts'
export type { EndImpersonationInput } from './use-cases/impersonation/end-impersonation.ts'
export type { ImpersonationStarted, StartImpersonationInput } from './use-cases/impersonation/start-impersonation.ts'
export type { RevokeAllSessionsInput, RevokeSessionInput } from './use-cases/manage-sessions.ts'
export type { SignInSuccess } from './use-cases/open-credentials.ts'
export type { ChangeNameInput } from './use-cases/own-account/change-name.ts'
export type { CheckLinkInput, CheckLinkResult, LinkedSignUp, LinkValid } from './use-cases/own-account/check-link.ts'
export type {
  ConfirmEmailChangeInput,
  ConfirmEmailChangeResult,
  EmailChangeConfirmed,
} from './use-cases/own-account/confirm-email-change.ts'
export type { AccountDeleted, DeleteAccountInput, DeleteAccountResult } from './use-cases/own-account/delete-account.ts'
export type { ExportAccountInput } from './use-cases/own-account/export-account.ts'
export type { RequestEmailChangeInput } from './use-cases/own-account/request-email-change.ts'
export type {
  EmailChangeUndone,
  UndoEmailChangeInput,
  UndoEmailChangeResult,
} from './use-cases/own-account/undo-email-change.ts'
export type {
  ConfirmProviderInput,
  EndProviderSessionsInput,
  ImportProviderLinkInput,
  ProviderChanged,
  ProviderChangeResult,
  ProviderInput,
  SignInWithProviderInput,
  UnlinkProviderInput,
} from './use-cases/providers/provider-inputs.ts'
export type { RefreshRequest, RefreshResult, RefreshSuccess } from './use-cases/refresh.ts'
export type { RequestPasswordResetInput } from './use-cases/request-password-reset.ts'
export type { PasswordReset, ResetPasswordInput, ResetPasswordResult } from './use-cases/reset-password.ts'
export type { SignInInput } from './use-cases/sign-in.ts'
export type { SignOutInput } from './use-cases/sign-out.ts'
export type { SignUpAccepted, SignUpInput } from './use-cases/sign-up.ts'
export type { EmailVerified, VerifyEmailInput, VerifyEmailResult } from './use-cases/verify-email.ts'
