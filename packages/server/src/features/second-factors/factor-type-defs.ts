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
  const remember = rememberedDevices ? trustDevice : ''
  const ofApps = totp ? totpTypes(before) : ''
  const ofPasskeys = passkeys ? passkeyTypes(before, remember) : ''
  return [commonTypes(before, remember), ofApps, ofPasskeys].join('\n')
}

const trustDevice = /* GraphQL */ `
    "Whether later sign-ins with the password from this device skip the second factor. Ignored for a step-up or a recovery code."
    trustDevice: Boolean = false`

const commonTypes = (before: BeforeEnrollment, remember: string): string => /* GraphQL */ `
  type Factor {
    "Kind of factor: totp, passkey or recovery-code."
    kind: String! @public
    "Evidence that the factor provides: know, have, know+have or are+have."
    category: String! @public
    createdAt: String! @public
    lastUsedAt: String @public
  }
  type RecoveryCodes {
    "Recovery codes, shown only once. Empty if the existing codes remain valid."
    codes: [String!]! @public
  }
  input VerifySecondFactorInput {
    "Challenge from signIn or from the error STEP_UP_REQUIRED."
    challenge: String!
    "Code from the authenticator app, or a recovery code."
    code: String!
    "Delivery for a sign-in. A step-up keeps the form of the current credentials."
    delivery: CredentialDelivery = SESSION
    deviceToken: String${remember}
  }
  input RegenerateRecoveryCodesInput {
    "Code from the authenticator app. Accounts without an app omit it and confirm a passkey first."
    code: String
  }
  type Query {
    "Second factors of the account."
    factors: [Factor!]! @authenticated @firstParty ${before}
  }
  type Mutation {
    "Completes a sign-in or a step-up. A step-up replaces the credentials with new ones. INVALID_CREDENTIALS if the code or the challenge is not valid."
    verifySecondFactor(input: VerifySecondFactorInput!): SignInPayload! @public @credential
    "Replaces all recovery codes. The old codes no longer work."
    regenerateRecoveryCodes(input: RegenerateRecoveryCodesInput!): RecoveryCodes!
      @authenticated @firstParty @credential
  }`

const totpTypes = (before: BeforeEnrollment): string => /* GraphQL */ `
  type TotpEnrollment {
    "Secret in base32. It is shown only once, as are the other fields."
    secret: String! @public
    otpauthUri: String! @public
    qrCodeSvg: String! @public
  }
  input ConfirmTotpInput { code: String! }
  input DisableTotpInput {
    "Code from the authenticator app, or a recovery code, which is then used up."
    code: String!
  }
  type Mutation {
    "Starts the setup of an authenticator app, which replaces the current app once confirmed. A recovery code can answer the step-up."
    startTotpEnrollment: TotpEnrollment!
      @authenticated @firstParty ${before}
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true, recoveryCode: true)
    "Activates the authenticator app and revokes all other sessions, as every change of a factor does."
    confirmTotpEnrollment(input: ConfirmTotpInput!): RecoveryCodes! @authenticated @firstParty @credential ${before}
    "Removes the authenticator app and revokes all other sessions. INVALID_CREDENTIALS if the code is not valid."
    disableTotp(input: DisableTotpInput!): Boolean! @authenticated @firstParty @credential
  }`

const passkeyTypes = (before: BeforeEnrollment, remember: string): string => /* GraphQL */ `
  type Passkey {
    id: ID! @public
    name: String! @public
    createdAt: String! @public
    lastUsedAt: String @public
    "Whether the passkey is synced to other devices of its owner."
    backedUp: Boolean! @public
    "Recovery codes, shown only once with the first factor of the account; null otherwise."
    recoveryCodes: [String!] @public
  }
  type PasskeyCeremony {
    "Options as JSON, for PublicKeyCredential.parseCreationOptionsFromJSON or parseRequestOptionsFromJSON."
    options: String! @public
  }
  input FinishPasskeyRegistrationInput {
    name: String!
    "Result of PublicKeyCredential.toJSON, as JSON."
    response: String!
  }
  input StartPasskeySignInInput {
    "Challenge of a second factor or a step-up. Omit it to sign in with the passkey alone."
    challenge: String
  }
  input FinishPasskeySignInInput {
    "Result of PublicKeyCredential.toJSON, as JSON."
    response: String!
    "Challenge that was passed to startPasskeySignIn."
    challenge: String
    delivery: CredentialDelivery = SESSION${remember}
  }
  input RenamePasskeyInput {
    id: ID!
    "Name of the passkey, 1 to 64 characters."
    name: String!
  }
  type Query {
    "Passkeys of the account."
    passkeys: [Passkey!]! @authenticated @firstParty ${before}
  }
  type Mutation {
    "Starts the registration of a passkey."
    startPasskeyRegistration: PasskeyCeremony!
      @authenticated @firstParty ${before}
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
    "Registers a passkey and revokes all other sessions. INVALID_CREDENTIALS if the response is not valid."
    finishPasskeyRegistration(input: FinishPasskeyRegistrationInput!): Passkey!
      @authenticated @firstParty @credential ${before}
    "Starts a sign-in with a passkey. A challenge limits it to the passkeys of one account."
    startPasskeySignIn(input: StartPasskeySignInInput): PasskeyCeremony! @public
    "Completes a sign-in or a step-up with a passkey. INVALID_CREDENTIALS if the response is not valid."
    finishPasskeySignIn(input: FinishPasskeySignInInput!): SignInPayload! @public @credential
    "Renames a passkey. NOT_FOUND if the account has no such passkey."
    renamePasskey(input: RenamePasskeyInput!): Passkey! @authenticated @firstParty
    "Removes a passkey. False if the account has no such passkey; BAD_USER_INPUT if it is the only way to sign in. A recovery code can answer the step-up."
    removePasskey(id: ID!): Boolean!
      @authenticated @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true, recoveryCode: true)
  }`
