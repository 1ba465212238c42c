/**
 * The SDL of the directives that declare the rules of a schema. Put it before your own SDL.
 *
 * | Directive | Allows |
 * |---|---|
 * | `@public` | every request |
 * | `@authenticated` | signed-in accounts, not machine clients |
 * | `@client` | machine clients, not accounts |
 * | `@requires(permissions:)` | identities with all permissions of at least one inner list |
 * | `@owner(of:, argument:, unless:)` | the owner of the resource in the argument, or of the parent object |
 * | `@stepUp(maxAgeSeconds:, ifEnrolled:, recoveryCode:)` | identities with a recently proven second factor; with `ifEnrolled` the first factor if the account has no second; with `recoveryCode` also a recovery code |
 * | `@scope(anyOf:)` | identities without a grant, and grants with all scopes of at least one inner list |
 * | `@firstParty` | identities without a grant to a third party |
 * | `@beforeEnrollment` | with other directives: also accounts that must enroll a second factor first |
 * | `@credential` | (no effect on access) the field tests a secret and must be the only root field of its operation |
 * | `@orNull` | (no effect on access) the field of `Query` is null instead of refused, and the fields below it are not checked |
 *
 * Several directives on one field must all be satisfied.
 *
 * @example
 * import { authDirectives } from '@latchkey/graphql'
 * import { buildSchema } from 'graphql'
 * export const schema = buildSchema(`${authDirectives} type Query { hello: String @public, me: String @authenticated }`)
 */
export const authDirectives: string = /* GraphQL */ `
"""Allows every request, including unauthenticated ones."""
directive @public on FIELD_DEFINITION

"""Requires a signed-in account. Machine clients are refused."""
directive @authenticated on OBJECT | INTERFACE | FIELD_DEFINITION

"""Requires a machine client. Accounts are refused."""
directive @client on OBJECT | INTERFACE | FIELD_DEFINITION

"""Requires all permissions of at least one inner list."""
directive @requires(permissions: [[String!]!]!) on OBJECT | INTERFACE | FIELD_DEFINITION

"""
Requires ownership of the resource whose ID is in "argument" (a path, for example "input.id"), or of the parent object
without "argument". The permission in "unless" replaces ownership. "of" is optional if the permissions name the resource.
"""
directive @owner(of: String, argument: String, unless: String) on FIELD_DEFINITION

"""
Requires a second factor that was confirmed at most "maxAgeSeconds" seconds ago; STEP_UP_REQUIRED otherwise. With
"ifEnrolled", an account without a second factor confirms its first factor again. With "recoveryCode", a recovery code
is also accepted.
"""
directive @stepUp(maxAgeSeconds: Int!, ifEnrolled: Boolean = false, recoveryCode: Boolean = false) on OBJECT | INTERFACE | FIELD_DEFINITION

"""
Requires all scopes of at least one inner list from a grant to a third party. Without a scope or permission of its grant,
a third party can read public fields only.
"""
directive @scope(anyOf: [[String!]!]!) on OBJECT | INTERFACE | FIELD_DEFINITION

"""
Refuses access through a grant to a third party. A client of the service itself is refused with the reason "own-pages"
if the field also has @credential or @stepUp.
"""
directive @firstParty on OBJECT | INTERFACE | FIELD_DEFINITION

"""
Also allows an account that must first set up a second factor. Use it together with @authenticated or @owner.
"""
directive @beforeEnrollment on OBJECT | INTERFACE | FIELD_DEFINITION

"""Marks a field that tests a secret. It must be the only root field of its operation."""
directive @credential on FIELD_DEFINITION

"""
Returns null instead of an error if the other rules of the field are not satisfied. The fields below it are then not
checked. Use it on fields of Query, together with @authenticated, @client, @scope or @firstParty.
"""
directive @orNull on FIELD_DEFINITION
`
