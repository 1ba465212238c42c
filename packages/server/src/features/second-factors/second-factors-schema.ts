import type { ListedFactor } from '@latchkey/accounts/internal'
import { type Context, type Input, rejectCredentials, toSignInPayload } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'
import { readStep, type StepFields, toTimes, trustDeviceField } from '../../schema/step-fields.ts'
import { authenticatedRule } from '../../service/account-session/authenticated-rule.ts'

/** Returns the operations on second factors other than passkeys, and the second step of a sign-in. */
export function secondFactorsSchema({ factors: offered, before }: SchemaOffer): SchemaPart | null {
  const { totp, passkeys } = offered
  if (!totp && !passkeys) return null
  const ofApps = { startTotpEnrollment, confirmTotpEnrollment, disableTotp }
  return {
    typeDefs: `${commonTypes(before, trustDeviceField({ factors: offered }))}${totp ? totpTypes(before) : ''}`,
    resolvers: { Query: { factors }, Mutation: { verifySecondFactor, regenerateRecoveryCodes, ...(totp && ofApps) } },
  }
}

const commonTypes = (before: SchemaOffer['before'], remember: string): string => /* GraphQL */ `
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

const totpTypes = (before: SchemaOffer['before']): string => /* GraphQL */ `
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

type Code = Input<{ readonly code: string }>

interface CodeFields extends StepFields {
  readonly challenge: string
  readonly code: string
  readonly deviceToken?: string | null
}

async function factors(_source: unknown, _args: unknown, { accounts, authorize }: Context): Promise<readonly object[]> {
  return (await accounts.listFactors(authorize(authenticatedRule).subject)).map(toFactor)
}

function toFactor({ kind, category, ...times }: ListedFactor): object {
  return { kind, category, ...toTimes(times) }
}

async function verifySecondFactor(
  _source: unknown,
  { input }: Input<CodeFields>,
  { factorSession }: Context,
): Promise<object> {
  const { challenge, code, deviceToken = null } = input
  const result = await factorSession.verifySecondFactor({ challenge, code, deviceToken, ...readStep(input) })
  return result.ok ? toSignInPayload(result) : rejectCredentials()
}

async function regenerateRecoveryCodes(
  _source: unknown,
  { input }: Input<{ readonly code?: string | null }>,
  { factorSession }: Context,
): Promise<object> {
  const result = await factorSession.regenerateRecoveryCodes(input.code ?? null)
  return result.ok ? { codes: result.codes ?? [] } : rejectCredentials()
}

async function startTotpEnrollment(_source: unknown, _args: unknown, { factorSession }: Context): Promise<object> {
  const result = await factorSession.startTotpEnrollment()
  return result.ok ? result : rejectCredentials()
}

async function confirmTotpEnrollment(_source: unknown, { input }: Code, { factorSession }: Context): Promise<object> {
  const result = await factorSession.confirmTotpEnrollment(input.code)
  return result.ok ? { codes: result.codes ?? [] } : rejectCredentials()
}

async function disableTotp(_source: unknown, { input }: Code, { factorSession }: Context): Promise<true> {
  const { ok } = await factorSession.disableTotp(input.code)
  return ok || rejectCredentials()
}
