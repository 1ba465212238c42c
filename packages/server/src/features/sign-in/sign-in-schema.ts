import {
  type Context,
  type Input,
  rejectCredentials,
  rejectGone,
  toSignInPayload,
} from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'
import type { CredentialDelivery } from '../../service/account-session/account-session.ts'

/** Returns the operations that sign in and out, and renew tokens. */
export function signInSchema({ factors }: SchemaOffer): SchemaPart {
  return {
    typeDefs: typeDefs(factors.rememberedDevices ? rememberedDevice : ''),
    resolvers: { Query: { csrfToken }, Mutation: { signIn, refresh, signOut } },
  }
}

const rememberedDevice = /* GraphQL */ `
    "Token from an earlier sign-in with NATIVE delivery. Browsers send it in a cookie."
    trustedDeviceToken: String`

const typeDefs = (trusted: string): string => /* GraphQL */ `
  type TokenPayload {
    "Access token for the Authorization header."
    accessToken: String! @public
    "Lifetime of the access token in seconds."
    expiresIn: Int! @public
    "New refresh token; null if it is in the refresh cookie."
    refreshToken: String @public
    "Sign-in of the refreshed tokens."
    session: CurrentSession @public
  }
  input SignInInput {
    email: String!
    password: String!
    delivery: CredentialDelivery = SESSION
    "Token from an earlier sign-in with NATIVE delivery, which identifies the device. Browsers send it in a cookie."
    deviceToken: String${trusted}
  }
  input RefreshInput {
    "Refresh token from a sign-in with NATIVE delivery. Browsers send it in a cookie."
    refreshToken: String
    "Random ID of this refresh, 22 to 64 characters of A-Z, a-z, 0-9, - and _. Store it before the request: if the response is lost, the same token and ID can be sent again."
    attempt: String
  }
  type Query {
    "CSRF token that mutations send in the x-csrf-token header; null without a session cookie."
    csrfToken: String @public
  }
  type Mutation {
    "Signs in with email and password. INVALID_CREDENTIALS if they do not match; the status is SECOND_FACTOR_REQUIRED if the account has a second factor."
    signIn(input: SignInInput!): SignInPayload! @public @credential
    "Returns a new access token for the refresh cookie or input.refreshToken. UNAUTHENTICATED if the refresh token is invalid, expired or revoked."
    refresh(input: RefreshInput): TokenPayload! @public @credential
    "Signs out the current session or token. False if the bearer token is invalid."
    signOut: Boolean! @public
  }`

interface SignInFields {
  readonly email: string
  readonly password: string
  readonly delivery: CredentialDelivery | null
  readonly deviceToken?: string | null
  readonly trustedDeviceToken?: string | null
}

function csrfToken(_source: unknown, _args: unknown, { accountSession }: Context): string | null {
  return accountSession.csrfToken()
}

async function signIn(_source: unknown, { input }: Input<SignInFields>, { accountSession }: Context): Promise<unknown> {
  const result = await accountSession.signIn({ ...input, delivery: input.delivery ?? 'SESSION' })
  return result.ok ? toSignInPayload(result) : rejectCredentials()
}

async function refresh(
  _source: unknown,
  { input }: { input?: { refreshToken?: string | null; attempt?: string | null } | null },
  { accountSession }: Context,
): Promise<unknown> {
  const result = await accountSession.refresh(input?.refreshToken ?? null, input?.attempt)
  return result.ok ? result : rejectGone()
}

function signOut(_source: unknown, _args: unknown, { accountSession }: Context): Promise<boolean> {
  return accountSession.signOut()
}
