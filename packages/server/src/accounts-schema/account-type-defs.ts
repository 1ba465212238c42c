import type { AnyPolicy } from '@latchkey/rbac'
import { auditTypeDefs } from './audit-entries.ts'
import { type BeforeEnrollment, factorTypeDefs, type OfferedFactors } from './factor-type-defs.ts'
import { clientOfSession, grantTypeDefs } from './grants.ts'

export interface AccountTypeDefsOptions {
  /** The second factors that have operations. */
  readonly offered: OfferedFactors
  /** Accounts must have a second factor: some fields are open to those that have to set up one first. */
  readonly isFactorRequired: boolean
  /** Roles change while the service runs, so their names are not an enum. */
  readonly rolesChange: boolean
  /** Decisions are audited. */
  readonly isAudited: boolean
  /** There are clients of others. */
  readonly hasClients: boolean
}

/**
 * Returns the types, queries and mutations for accounts, with their rules. What needs a permission that the policy does
 * not name is omitted: `accounts` needs `accounts:read`, `setRole` needs `accounts:update`, and `auditEntries` needs `audit:read`.
 */
export function accountTypeDefs(
  policy: AnyPolicy,
  { rolesChange, offered, isFactorRequired, isAudited, hasClients }: AccountTypeDefsOptions,
): string {
  const mayRead = policy.permissions.includes('accounts:read')
  const mayUpdate = policy.permissions.includes('accounts:update')
  const before = isFactorRequired ? '@beforeEnrollment' : ''
  return [
    rolesChange ? '' : roleEnum(policy),
    accountType(mayRead, rolesChange),
    signInTypes({
      due: isFactorRequired ? enrollmentDue : '',
      rememberedDevices: offered.rememberedDevices,
      client: hasClients ? clientOfSession : '',
    }),
    operations(before),
    mayRead ? listing : '',
    mayUpdate ? settingRoles(rolesChange) : '',
    isAudited && policy.permissions.includes('audit:read') ? auditTypeDefs : '',
    factorTypeDefs(offered, before),
    hasClients ? grantTypeDefs(before) : '',
  ].join('\n')
}

function roleEnum({ roles: names }: AnyPolicy): string {
  return `enum Role { ${names.join(' ')} }`
}

function accountType(mayRead: boolean, rolesChange: boolean): string {
  const exception = mayRead ? ', unless: "accounts:read"' : ''
  return /* GraphQL */ `
  type Account {
    id: ID! @public
    name: String! @public
    "For the account itself${mayRead ? ' and for accounts:read' : ''}."
    email: String @owner(of: "accounts"${exception}) @scope(anyOf: ${mayRead ? '[["email"], ["accounts:read"]]' : '"email"'})
    role: ${roleType(rolesChange)}! @authenticated
  }`
}

function roleType(rolesChange: boolean): string {
  return rolesChange ? 'String' : 'Role'
}

/** Until when, for a service in which accounts must have a second factor. */
const enrollmentDue = `"Until when the account may do without a second factor; null: it has one, or needs none."
    enrollmentDueAt: String @public`

interface SignInTypes {
  readonly due: string
  readonly rememberedDevices: boolean
  readonly client: string
}

const signInTypes = ({ due, rememberedDevices, client }: SignInTypes): string => /* GraphQL */ `
  "How the credentials of a sign-in are handed over."
  enum CredentialDelivery {
    "A session in an HttpOnly cookie, and a csrfToken for mutations."
    SESSION
    "An access token in the body, its refresh token in an HttpOnly cookie."
    TOKEN
    "Both tokens in the body, for applications outside browsers."
    NATIVE
  }
  enum SignInStatus { SIGNED_IN SECOND_FACTOR_REQUIRED }
  type SignInPayload {
    status: SignInStatus! @public
    account: Account @public
    accessToken: String @public
    "Seconds."
    expiresIn: Int @public
    refreshToken: String @public
    csrfToken: String @public
    challenge: String @public
    factors: [String!]! @public
    "For applications outside browsers, to send with the next sign-in or reset: the device is recognized by it."
    deviceToken: String @public${rememberedDevices ? rememberedDevicePayload : ''}
    ${due}
  }
  type TokenPayload {
    accessToken: String! @public
    "Seconds."
    expiresIn: Int! @public
    refreshToken: String @public
  }
  type SignUpPayload { accepted: Boolean! @public }
  type Session {
    id: ID! @public
    kind: String! @public
    "ISO 8601, as all times here."
    createdAt: String! @public
    lastUsedAt: String! @public
    expiresAt: String! @public
    userAgent: String @public
    address: String @public
    current: Boolean! @public${client}
  }
  input SignUpInput { email: String! password: String! name: String! }
  input VerifyEmailInput {
    token: String!
    "That of the sign-up: it counts when it is shown again, or by the browser that signed up."
    password: String
  }
  input SignInInput {
    email: String!
    password: String!
    delivery: CredentialDelivery = SESSION
    deviceToken: String${rememberedDevices ? rememberedDeviceInput : ''}
  }
  input RefreshInput { refreshToken: String }
  input ConfirmPasswordInput { currentPassword: String! }
  input ChangePasswordInput { currentPassword: String! newPassword: String! }
  input RequestPasswordResetInput { email: String! deviceToken: String }
  input ResetPasswordInput { token: String! newPassword: String! }`

const rememberedDevicePayload = /* GraphQL */ `
    "For applications outside browsers, to send with the next sign-in: it needs no second factor then."
    rememberedDevice: String @public`

const rememberedDeviceInput = /* GraphQL */ `
    "What an earlier sign-in has answered; browsers have it in a cookie."
    rememberedDevice: String`

const operations = (before: BeforeEnrollment): string => /* GraphQL */ `
  type Query {
    viewer: Account! @authenticated @scope(anyOf: "openid") ${before}
    sessions: [Session!]! @authenticated @firstParty ${before}
    "What a mutation over the session cookie sends in the header x-csrf-token; null without such a session."
    csrfToken: String @public
  }
  type Mutation {
    "Accepted whether or not the address is taken; its owner gets a mail."
    signUp(input: SignUpInput!): SignUpPayload! @public @credential
    verifyEmail(input: VerifyEmailInput!): Boolean! @public @credential
    signIn(input: SignInInput!): SignInPayload! @public @credential
    "A new access token for the refresh cookie, or for input.refreshToken."
    refresh(input: RefreshInput): TokenPayload! @public @credential
    "Ends what the request came with. False for a bearer token that is no good."
    signOut: Boolean! @public
    revokeSession(id: ID!): Boolean! @authenticated @firstParty ${before}
    "How many ended."
    revokeAllSessions(exceptCurrent: Boolean = true): Int! @authenticated @firstParty ${before}
    "A fresh proof of the password: the credential is renewed in the form in which it came, and the old one is dead."
    confirmPassword(input: ConfirmPasswordInput!): SignInPayload!
      @authenticated @firstParty @credential ${before}
    "Ends all other sessions."
    changePassword(input: ChangePasswordInput!): Boolean! @authenticated @firstParty @credential
    "Always true; the owner of the address gets a mail."
    requestPasswordReset(input: RequestPasswordResetInput!): Boolean! @public @credential
    "Where a second factor comes before the password: STEP_UP_REQUIRED. The answer to its challenge sets it, and signs in."
    resetPassword(input: ResetPasswordInput!): Boolean! @public @credential
  }`

const listing = /* GraphQL */ `
  type Query {
    accounts(first: Int = 10): [Account!]! @requires(permissions: "accounts:read")
  }`

function settingRoles(rolesChange: boolean): string {
  return /* GraphQL */ `
  input SetRoleInput { accountId: ID! role: ${roleType(rolesChange)}! }
  type Mutation {
    "Takes effect at once: the account has to sign in again."
    setRole(input: SetRoleInput!): Account!
      @requires(permissions: "accounts:update") @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
  }`
}
