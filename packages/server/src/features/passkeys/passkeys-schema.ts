import { AccessError } from '@latchkey/graphql'
import type { EnrolledPasskey } from '@latchkey/store'
import { type Context, type Input, rejectCredentials, toSignInPayload } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'
import { readStep, type StepFields, toTimes, trustDeviceField } from '../../schema/step-fields.ts'
import { authenticatedRule } from '../../service/account-session/authenticated-rule.ts'

/** Returns the operations on passkeys. */
export function passkeysSchema({ factors, before }: SchemaOffer): SchemaPart | null {
  if (!factors.passkeys) return null
  return {
    typeDefs: passkeyTypes(before, trustDeviceField({ factors })),
    resolvers: {
      Query: { passkeys },
      Mutation: {
        startPasskeyRegistration,
        finishPasskeyRegistration,
        startPasskeySignIn,
        finishPasskeySignIn,
        renamePasskey,
        removePasskey,
      },
    },
  }
}

const passkeyTypes = (before: SchemaOffer['before'], remember: string): string => /* GraphQL */ `
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

interface PasskeyFields extends StepFields {
  readonly response: string
  readonly challenge?: string | null
}

async function passkeys(
  _source: unknown,
  _args: unknown,
  { accounts, authorize }: Context,
): Promise<readonly object[]> {
  return (await accounts.listPasskeys(authorize(authenticatedRule).subject)).map((passkey) => toPasskey(passkey, null))
}

function toPasskey({ id, name, backedUp, ...times }: EnrolledPasskey, recoveryCodes: readonly string[] | null): object {
  return { id, name, backedUp, recoveryCodes, ...toTimes(times) }
}

async function startPasskeyRegistration(_source: unknown, _args: unknown, { factorSession }: Context): Promise<object> {
  const result = await factorSession.startPasskeyRegistration()
  return result.ok ? toCeremony(result) : rejectCredentials()
}

async function finishPasskeyRegistration(
  _source: unknown,
  { input }: Input<{ readonly name: string; readonly response: string }>,
  { factorSession }: Context,
): Promise<object> {
  const result = await factorSession.finishPasskeyRegistration(input)
  return result.ok ? toPasskey(result.passkey, result.codes) : rejectCredentials()
}

async function startPasskeySignIn(
  _source: unknown,
  { input }: { readonly input?: { readonly challenge?: string | null } | null },
  { factorSession }: Context,
): Promise<object> {
  const result = await factorSession.startPasskeySignIn(input?.challenge ?? null)
  return result.ok ? toCeremony(result) : rejectCredentials()
}

async function finishPasskeySignIn(
  _source: unknown,
  { input }: Input<PasskeyFields>,
  { factorSession }: Context,
): Promise<object> {
  const { response, challenge = null } = input
  const result = await factorSession.finishPasskeySignIn({ response, challenge, ...readStep(input) })
  return result.ok ? toSignInPayload(result) : rejectCredentials()
}

async function renamePasskey(
  _source: unknown,
  { input }: Input<{ readonly id: string; readonly name: string }>,
  { factorSession }: Context,
): Promise<object> {
  const passkey = await factorSession.renamePasskey(input)
  if (passkey === null) throw new AccessError('NOT_FOUND')
  return toPasskey(passkey, null)
}

async function removePasskey(
  _source: unknown,
  { id }: { readonly id: string },
  { factorSession }: Context,
): Promise<boolean> {
  const result = await factorSession.removePasskey(id)
  if (result === null) return false
  return result.ok || rejectCredentials()
}

function toCeremony({ options }: { readonly options: object }): object {
  return { options: JSON.stringify(options) }
}
