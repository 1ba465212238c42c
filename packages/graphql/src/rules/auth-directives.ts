/**
 * The SDL that defines the directives with which a schema says who may ask for what. Put it before your own.
 *
 * | Directive | Lets in |
 * |---|---|
 * | `@public` | every request |
 * | `@authenticated` | signed-in accounts, not machine clients |
 * | `@client` | machine clients, not accounts |
 * | `@requires(permissions:)` | who has a permission: of the outer list any, of the inner list all |
 * | `@owner(of:, argument:, unless:)` | who owns the resource that the argument names, or the parent object |
 * | `@stepUp(maxAgeSeconds:, ifEnrolled:, recoveryCode:)` | who showed a second factor lately; with `ifEnrolled` the first one where there is no second; with `recoveryCode` a recovery code |
 * | `@scope(anyOf:)` | of those that came through a grant, whose grant names such a scope |
 * | `@firstParty` | who did not come through a grant to a third party |
 * | `@beforeEnrollment` | beside another one: also an account that has to set up a second factor before anything else |
 * | `@credential` | no one by itself: the field tests a secret and is alone in its operation |
 * | `@orNull` | no one by itself: the field of `Query` is null instead of refused, and nothing below it is checked |
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
