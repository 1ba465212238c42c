/** The kinds of second factors that a service offers. */
export interface OfferedFactors {
  readonly totp: boolean
  readonly passkeys: boolean
  /** Whether devices are remembered where their owner asks for it. */
  readonly rememberedDevices: boolean
}

/** On what is open to an account that has to set up a second factor first; empty where none must have one. */
export type BeforeEnrollment = '@beforeEnrollment' | ''

/** Returns the types, queries and mutations for second factors, with their rules: none where the service offers none. */
export function factorTypeDefs(
  { totp, passkeys, rememberedDevices }: OfferedFactors,
  before: BeforeEnrollment,
): string {
  if (!totp && !passkeys) return ''
  const remember = rememberedDevices ? rememberDevice : ''
  const ofApps = totp ? totpTypes(before) : ''
  const ofPasskeys = passkeys ? passkeyTypes(before, remember) : ''
  return [commonTypes(before, remember), ofApps, ofPasskeys].join('\n')
}

const rememberDevice = /* GraphQL */ `
    "The next sign-ins by password from this device need no second factor. It counts for a sign-in, and for no recovery code."
    rememberDevice: Boolean = false`

const commonTypes = (before: BeforeEnrollment, remember: string): string => /* GraphQL */ `
  type Factor {
    "totp, passkey or recovery-code."
    kind: String! @public
    "What it shows of a person: know, have, know+have or are+have."
    category: String! @public
    createdAt: String! @public
    lastUsedAt: String @public
  }
  type RecoveryCodes {
    "Readable this once. Empty: those that the account has remain."
    codes: [String!]! @public
  }
  input VerifySecondFactorInput {
    "Of signIn, or of an error STEP_UP_REQUIRED."
    challenge: String!
    "Of an authenticator app, or a recovery code."
    code: String!
    "Of a sign-in; a step-up is delivered in the form in which the credential came."
    delivery: CredentialDelivery = SESSION
    deviceToken: String${remember}
  }
  input RegenerateRecoveryCodesInput {
    "Of the authenticator app; an account without one shows a passkey before."
    code: String
  }
  type Query {
    factors: [Factor!]! @authenticated @firstParty ${before}
  }
  type Mutation {
    "Finishes a sign-in, or proves once more who is signed in: then the credential is renewed, and the old one is dead."
    verifySecondFactor(input: VerifySecondFactorInput!): SignInPayload! @public @credential
    "The old codes are void."
    regenerateRecoveryCodes(input: RegenerateRecoveryCodesInput!): RecoveryCodes!
      @authenticated @firstParty @credential
  }`

const totpTypes = (before: BeforeEnrollment): string => /* GraphQL */ `
  type TotpEnrollment {
    "Readable this once, as all of it."
    secret: String! @public
    otpauthUri: String! @public
    qrCodeSvg: String! @public
  }
  input ConfirmTotpInput { code: String! }
  input DisableTotpInput {
    "Of the authenticator app, or a recovery code, which is spent."
    code: String!
  }
  type Mutation {
    "Replaces at its confirmation the app that the account has. A recovery code answers its step-up."
    startTotpEnrollment: TotpEnrollment!
      @authenticated @firstParty ${before}
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true, recoveryCode: true)
    "Ends all other sessions, as every change of a factor does."
    confirmTotpEnrollment(input: ConfirmTotpInput!): RecoveryCodes! @authenticated @firstParty @credential ${before}
    disableTotp(input: DisableTotpInput!): Boolean! @authenticated @firstParty @credential
  }`

const passkeyTypes = (before: BeforeEnrollment, remember: string): string => /* GraphQL */ `
  type Passkey {
    id: ID! @public
    name: String! @public
    createdAt: String! @public
    lastUsedAt: String @public
    "A service copies it to other devices of its owner."
    backedUp: Boolean! @public
    "With the first factor of an account, this once."
    recoveryCodes: [String!] @public
  }
  type PasskeyCeremony {
    "JSON for PublicKeyCredential.parseCreationOptionsFromJSON or parseRequestOptionsFromJSON."
    options: String! @public
  }
  input FinishPasskeyRegistrationInput {
    name: String!
    "JSON of PublicKeyCredential.toJSON."
    response: String!
  }
  input StartPasskeySignInInput {
    "When it answers a second factor or a step-up."
    challenge: String
  }
  input FinishPasskeySignInInput {
    "JSON of PublicKeyCredential.toJSON."
    response: String!
    "The same as of startPasskeySignIn."
    challenge: String
    delivery: CredentialDelivery = SESSION${remember}
  }
  input RenamePasskeyInput {
    id: ID!
    "1 to 64 characters."
    name: String!
  }
  type Query {
    passkeys: [Passkey!]! @authenticated @firstParty ${before}
  }
  type Mutation {
    startPasskeyRegistration: PasskeyCeremony!
      @authenticated @firstParty ${before}
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
    finishPasskeyRegistration(input: FinishPasskeyRegistrationInput!): Passkey!
      @authenticated @firstParty @credential ${before}
    "Without a challenge for any passkey of the service, with one for those of its account."
    startPasskeySignIn(input: StartPasskeySignInInput): PasskeyCeremony! @public
    finishPasskeySignIn(input: FinishPasskeySignInInput!): SignInPayload! @public @credential
    "Ends nothing: the passkey is the same."
    renamePasskey(input: RenamePasskeyInput!): Passkey! @authenticated @firstParty
    "False: the account has no such passkey. A recovery code answers its step-up."
    removePasskey(id: ID!): Boolean!
      @authenticated @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true, recoveryCode: true)
  }`
