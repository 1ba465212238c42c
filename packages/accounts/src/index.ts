export type { AccountsEvent } from './accounts-event.ts'
export { type Attempt, type PresentedAttempt, unknownAttempt } from './attempt.ts'
export type {
  AccountsOptions,
  AdministrationOptions,
  DataExportOptions,
  DeletionOptions,
  ImpersonationOptions,
} from './context/accounts-options.ts'
export type { AccountAdministration } from './contract/account-administration.ts'
export type { AccountFactors } from './contract/account-factors.ts'
export type { AccountFacts } from './contract/account-facts.ts'
export type { Accounts } from './contract/accounts.ts'
export type { ProviderIdentity } from './contract/provider-identity.ts'
export type { CredentialChange, IssuedCredentials, SignInResult } from './contract/sign-in-result.ts'
export type { SignedInIdentity } from './contract/signed-in-identity.ts'
export { createAccounts } from './create-accounts.ts'
export { allowNativeDelivery, type Delivery } from './delivery.ts'
export {
  createDeviceTokens,
  type DeviceAccount,
  type DeviceTokens,
  type DeviceTokensOptions,
} from './devices/device-tokens.ts'
export type { RememberDevices } from './devices/remembered-devices.ts'
export { AccountsError, type AccountsErrorCode, isAccountsError, type Rejection } from './errors.ts'
export type { SecondFactorPolicy } from './factors/required-factor.ts'
export type { PasskeysFactor, RecoveryCodesFactor, TotpFactor } from './factors/second-factors.ts'
export {
  allowUnlimitedAttempts,
  createGuessingLimits,
  type GuessingLimits,
  type GuessingLimitsOptions,
  type PasswordFailures,
  type PasswordGuess,
} from './limits/guessing-limits.ts'
export { englishMailTexts } from './mail/english-texts.ts'
export type { MailLink, MailLinks } from './mail/mail-links.ts'
export type { MailOptions } from './mail/mail-writer.ts'
export type { Mailer } from './mail/mailer.ts'
export type { EmailCode } from './mail/sign-in-codes.ts'
export type { MailTexts, Message } from './message.ts'
export type { ProvidersOptions } from './providers/provider-options.ts'
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
export type { AuditedFacts, AuditedIntent, AuditOptions, AuditWriter } from './trail/audit-port.ts'
