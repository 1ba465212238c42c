import { type Context, type Input, rejectCredentials, toSignInPayload } from '../../schema/account-payloads.ts'
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
    accessToken: String! @public
    "Lifetime of the access token in seconds."
    expiresIn: Int! @public
    refreshToken: String @public
    session: CurrentSession @public
  }
  input SignInInput {
    email: String!
    password: String!
    delivery: CredentialDelivery = SESSION
    deviceToken: String${trusted}
  }
  input RefreshInput { refreshToken: String }
  type Query {
    "CSRF token that mutations authenticated by the session cookie must send in the x-csrf-token header; null without a session cookie."
    csrfToken: String @public
  }
  type Mutation {
    "Signs in with email and password. INVALID_CREDENTIALS if they do not match; the status is SECOND_FACTOR_REQUIRED if the account has a second factor."
    signIn(input: SignInInput!): SignInPayload! @public @credential
    "Returns a new access token for the refresh cookie or input.refreshToken. INVALID_CREDENTIALS if the refresh token is not valid."
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
  { input }: { input?: { refreshToken?: string | null } | null },
  { accountSession }: Context,
): Promise<unknown> {
  const result = await accountSession.refresh(input?.refreshToken ?? null)
  return result.ok ? result : rejectCredentials()
}

function signOut(_source: unknown, _args: unknown, { accountSession }: Context): Promise<boolean> {
  return accountSession.signOut()
}
