export type { AccountsEvent } from './accounts-event.ts'
export { type Attempt, unknownAttempt } from './attempt.ts'
export type { AccountsOptions } from './context/accounts-options.ts'
export type { AccountAdministration } from './contract/account-administration.ts'
export type { AccountApiKeys } from './contract/account-api-keys.ts'
export type { AccountFactors } from './contract/account-factors.ts'
export type { AccountFacts } from './contract/account-facts.ts'
export type { Accounts } from './contract/accounts.ts'
export type { ProviderIdentity } from './contract/provider-identity.ts'
export type { CredentialChange, IssuedCredentials, SignInResult } from './contract/sign-in-result.ts'
export type { SignedInIdentity } from './contract/signed-in-identity.ts'
export { createAccounts } from './create-accounts.ts'
export { allowNativeDelivery, type Delivery } from './delivery.ts'
export { createKnownDevices, type KnownDevices } from './devices/known-devices.ts'
export { AccountsError, type AccountsErrorCode, isAccountsError, type Rejection } from './errors.ts'
export type { PasskeysFactor, RecoveryCodesFactor, TotpFactor } from './factors/second-factors.ts'
export { type AttemptLimits, allowUnlimitedAttempts, createAttemptLimits } from './limits/attempt-limits.ts'
export { englishMailTexts } from './mail/english-texts.ts'
export type { Mailer } from './mail/mailer.ts'
export type { MailTexts, Message } from './message.ts'
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
