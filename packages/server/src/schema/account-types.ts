import type { AnyPolicy } from '@latchkey/rbac'
import { auditTypeDefs } from '../features/administration/audit-entries.ts'
import { clientOfSession, grantTypeDefs } from '../features/oauth/grants.ts'
import {
  type BeforeEnrollment,
  factorTypeDefs,
  type OfferedFactors,
} from '../features/second-factors/factor-type-defs.ts'

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
  /** Administrators act as other accounts. */
  readonly canImpersonate: boolean
}

/**
 * Returns the types, queries and mutations for accounts, with their rules. What needs a permission that the policy does
 * not name is omitted: `accounts` needs `accounts:read`, `setRole` needs `accounts:update`, and `auditEntries` needs `audit:read`.
 */
export function accountTypeDefs(
  policy: AnyPolicy,
  { rolesChange, offered, isFactorRequired, isAudited, hasClients, canImpersonate }: AccountTypeDefsOptions,
): string {
  const mayRead = policy.permissions.includes('accounts:read')
  const mayUpdate = policy.permissions.includes('accounts:update')
  const before = isFactorRequired ? '@beforeEnrollment' : ''
  return [
    rolesChange ? '' : roleEnum(policy),
    accountType({ mayRead, rolesChange, canImpersonate }),
    signInTypes({
      due: isFactorRequired ? enrollmentDue : '',
      rememberedDevices: offered.rememberedDevices,
      ofSession: `${hasClients ? clientOfSession : ''}${canImpersonate ? impersonatorOfSession : ''}`,
    }),
    operations(before),
    mayRead ? listing : '',
    mayUpdate ? settingRoles(rolesChange) : '',
    isAudited && policy.permissions.includes('audit:read') ? auditTypeDefs : '',
    factorTypeDefs(offered, before),
    hasClients ? grantTypeDefs(before) : '',
  ].join('\n')
}

/** What an account says of who acts as it. */
const impersonatorOfAccount = /* GraphQL */ `
    "ID of the administrator who acts as this account in the current request; null otherwise."
    impersonatedBy: ID @public`

/** What a session says of who acts as the account by it. */
const impersonatorOfSession = /* GraphQL */ `
    "ID of the administrator who acts as the account in this session; null for a session of the owner."
    impersonatedBy: ID @public`

function roleEnum({ roles: names }: AnyPolicy): string {
  return `enum Role { ${names.join(' ')} }`
}

interface AccountTypeParts extends Pick<AccountTypeDefsOptions, 'rolesChange' | 'canImpersonate'> {
  readonly mayRead: boolean
}

function accountType({ mayRead, rolesChange, canImpersonate }: AccountTypeParts): string {
  const exception = mayRead ? ', unless: "accounts:read"' : ''
  return /* GraphQL */ `
  type Account {
    id: ID! @public
    name: String! @public
    "Email address, visible to the account itself${mayRead ? ' and with the permission accounts:read' : ''}."
    email: String @owner(of: "accounts"${exception}) @scope(anyOf: ${mayRead ? '[["email"], ["accounts:read"]]' : '"email"'})
    role: ${roleType(rolesChange)}! @authenticated${canImpersonate ? impersonatorOfAccount : ''}
  }`
}

function roleType(rolesChange: boolean): string {
  return rolesChange ? 'String' : 'Role'
}

/** Until when, for a service in which accounts must have a second factor. */
const enrollmentDue = `"Time by which the account must have a second factor; null if it already has a factor or does not need any."
    enrollmentDueAt: String @public`

interface SignInTypes {
  readonly due: string
  readonly rememberedDevices: boolean
  readonly ofSession: string
}

const signInTypes = ({ due, rememberedDevices, ofSession }: SignInTypes): string => /* GraphQL */ `
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
    status: SignInStatus! @public
    account: Account @public
    accessToken: String @public
    "Lifetime of the access token in seconds; null for a session."
    expiresIn: Int @public
    refreshToken: String @public
    csrfToken: String @public
    challenge: String @public
    factors: [String!]! @public
    "Token that identifies the device at the next sign-in or password reset; null unless the delivery is NATIVE."
    deviceToken: String @public${rememberedDevices ? rememberedDevicePayload : ''}
    ${due}
  }
  type TokenPayload {
    accessToken: String! @public
    "Lifetime of the access token in seconds."
    expiresIn: Int! @public
    refreshToken: String @public
  }
  type SignUpPayload { accepted: Boolean! @public }
  type Session {
    id: ID! @public
    kind: String! @public
    "Creation time in ISO 8601, like all times in this schema."
    createdAt: String! @public
    lastUsedAt: String! @public
    expiresAt: String! @public
    userAgent: String @public
    address: String @public
    current: Boolean! @public${ofSession}
  }
  input SignUpInput { email: String! password: String! name: String! }
  input VerifyEmailInput {
    token: String!
    "Password of the sign-up. It takes effect if sent again here, or if the browser that signed up opens the link."
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
    "Token to send with later sign-ins to skip the second factor; null unless the delivery is NATIVE and the device is remembered."
    trustedDeviceToken: String @public`

const rememberedDeviceInput = /* GraphQL */ `
    "Token from an earlier sign-in with NATIVE delivery. Browsers send it in a cookie."
    trustedDeviceToken: String`

const operations = (before: BeforeEnrollment): string => /* GraphQL */ `
  type Query {
    "Signed-in account."
    viewer: Account! @authenticated @scope(anyOf: "openid") ${before}
    "Active sessions of the account, including its refresh tokens."
    sessions: [Session!]! @authenticated @firstParty ${before}
    "CSRF token that mutations authenticated by the session cookie must send in the x-csrf-token header; null without a session cookie."
    csrfToken: String @public
  }
  type Mutation {
    "Signs up. The response is the same whether or not the address is taken; its owner gets an email."
    signUp(input: SignUpInput!): SignUpPayload! @public @credential
    "Verifies the address of a sign-up and creates its account. BAD_USER_INPUT if the token is invalid or expired."
    verifyEmail(input: VerifyEmailInput!): Boolean! @public @credential
    "Signs in with email and password. INVALID_CREDENTIALS if they do not match; the status is SECOND_FACTOR_REQUIRED if the account has a second factor."
    signIn(input: SignInInput!): SignInPayload! @public @credential
    "Returns a new access token for the refresh cookie or input.refreshToken. INVALID_CREDENTIALS if the refresh token is not valid."
    refresh(input: RefreshInput): TokenPayload! @public @credential
    "Signs out the current session or token. False if the bearer token is invalid."
    signOut: Boolean! @public
    "Revokes a session of the account. False if the account has no such session."
    revokeSession(id: ID!): Boolean! @authenticated @firstParty ${before}
    "Number of revoked sessions."
    revokeAllSessions(exceptCurrent: Boolean = true): Int! @authenticated @firstParty ${before}
    "Confirms the password of the signed-in account. Replaces the credentials with new ones in the same form. INVALID_CREDENTIALS if the password is incorrect."
    confirmPassword(input: ConfirmPasswordInput!): SignInPayload!
      @authenticated @firstParty @credential ${before}
    "Changes the password and revokes all other sessions. INVALID_CREDENTIALS if currentPassword is incorrect."
    changePassword(input: ChangePasswordInput!): Boolean! @authenticated @firstParty @credential
    "Emails a link to reset the password to the owner of the address. Always true."
    requestPasswordReset(input: RequestPasswordResetInput!): Boolean! @public @credential
    "Sets a new password. STEP_UP_REQUIRED if a second factor must be confirmed first: answering its challenge sets the password and signs in."
    resetPassword(input: ResetPasswordInput!): Boolean! @public @credential
  }`

const listing = /* GraphQL */ `
  type Query {
    "Accounts, one page of at most first."
    accounts(first: Int = 10): [Account!]! @requires(permissions: "accounts:read")
  }`

function settingRoles(rolesChange: boolean): string {
  return /* GraphQL */ `
  input SetRoleInput { accountId: ID! role: ${roleType(rolesChange)}! }
  type Mutation {
    "Sets the role of an account, effective immediately: the account must sign in again. NOT_FOUND if the account does not exist."
    setRole(input: SetRoleInput!): Account!
      @requires(permissions: "accounts:update") @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
  }`
}
