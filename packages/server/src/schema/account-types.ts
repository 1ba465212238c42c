import type { Account } from '@latchkey/accounts'
import type { AnyPolicy } from '@latchkey/rbac'
import type { Context } from './account-payloads.ts'
import type { SchemaOffer, SchemaPart } from './schema-offer.ts'

/** Returns the types that several features use: accounts, roles and sign-in payloads. */
export function accountTypes(offer: SchemaOffer): SchemaPart {
  const { policy, rolesChange } = offer
  return {
    typeDefs: [rolesChange ? '' : roleEnum(policy), accountType(offer), signInTypes(offer)].join('\n'),
    resolvers: { Account: { email: readOwn(({ email }) => email), role: readOwn(({ roles }) => roles[0]) } },
  }
}

/** Before an account has the factor that it must have, only its own pages read this, and only of itself. */
function readOwn<Value>(read: (account: Account) => Value) {
  return (account: Account, _args: unknown, { identity, authorize }: Context): Value => {
    const isOwn = identity?.firstParty && identity.subject === account.id
    if (identity?.mustEnroll && !isOwn) authorize({ authenticated: true })
    return read(account)
  }
}

function roleEnum({ roles: names }: AnyPolicy): string {
  return `enum Role { ${names.join(' ')} }`
}

export function roleType({ rolesChange }: Pick<SchemaOffer, 'rolesChange'>): string {
  return rolesChange ? 'String' : 'Role'
}

/** The field of an account about its impersonator. */
const impersonatorOfAccount = /* GraphQL */ `
    "ID of the administrator who acts as this account in the current request; null otherwise."
    impersonatedBy: ID @public`

function accountType({ policy, rolesChange, canImpersonate, before }: SchemaOffer): string {
  const mayRead = policy.permissions.includes('accounts:read')
  const exception = mayRead ? ', unless: "accounts:read"' : ''
  return /* GraphQL */ `
  type Account {
    id: ID! @public
    name: String! @public
    "Email address, visible to the account itself${mayRead ? ' and with the permission accounts:read' : ''}."
    email: String @owner(of: "accounts"${exception}) @scope(anyOf: ${mayRead ? '[["email"], ["accounts:read"]]' : '"email"'}) ${before}
    role: ${roleType({ rolesChange })}! @authenticated ${before}${canImpersonate ? impersonatorOfAccount : ''}
  }`
}

/** Until when, for a service in which accounts must have a second factor. */
const enrollmentDue = `"Time by which the account must have a second factor; null if it already has a factor or does not need any."
    enrollmentDueAt: String @public`

const rememberedDevice = /* GraphQL */ `
    "Token to send with later sign-ins to skip the second factor; null unless the delivery is NATIVE and the device is remembered."
    trustedDeviceToken: String @public`

const signInTypes = ({ isFactorRequired, factors: { rememberedDevices } }: SchemaOffer): string => /* GraphQL */ `
  "Form in which a sign-in delivers its credentials."
  enum CredentialDelivery {
    "Session in an HttpOnly cookie. Mutations need its csrfToken."
    SESSION
    "Access token in the response body, refresh token in an HttpOnly cookie."
    TOKEN
    "Both tokens in the response body, for applications outside browsers. BAD_USER_INPUT from a browser."
    NATIVE
  }
  enum SignInStatus { SIGNED_IN SECOND_FACTOR_REQUIRED }
  type SignInPayload {
    "SECOND_FACTOR_REQUIRED if the sign-in must be completed with a second factor."
    status: SignInStatus! @public
    "Signed-in account; null if a second factor is required."
    account: Account @public
    "Access token for the Authorization header; null if the delivery is SESSION."
    accessToken: String @public
    "Lifetime of the access token in seconds; null if the delivery is SESSION."
    expiresIn: Int @public
    "Refresh token; null unless the delivery is NATIVE."
    refreshToken: String @public
    "CSRF token that mutations send in the x-csrf-token header; null unless the delivery is SESSION."
    csrfToken: String @public
    "New sign-in; null if a second factor is required."
    session: CurrentSession @public
    "Challenge to pass to verifySecondFactor or startPasskeySignIn; null if no second factor is required."
    challenge: String @public
    "Kinds of second factors that complete the sign-in: totp, passkey or recovery-code. Empty after a complete sign-in."
    factors: [String!]! @public
    "Token that identifies the device at the next sign-in or password reset; null unless the delivery is NATIVE."
    deviceToken: String @public${rememberedDevices ? rememberedDevice : ''}
    ${isFactorRequired ? enrollmentDue : ''}
  }`
