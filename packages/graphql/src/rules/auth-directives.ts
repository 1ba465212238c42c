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
 *
 * Several directives on one field must all be satisfied.
 *
 * @example
 * import { authDirectives } from '@latchkey/graphql'
 * import { buildSchema } from 'graphql'
 * export const schema = buildSchema(`${authDirectives} type Query { hello: String @public, me: String @authenticated }`)
 */
export const authDirectives: string = /* GraphQL */ `
"""Anyone may ask for this field, also without an identity."""
directive @public on FIELD_DEFINITION

"""Signed-in accounts only."""
directive @authenticated on OBJECT | INTERFACE | FIELD_DEFINITION

"""Machine clients only."""
directive @client on OBJECT | INTERFACE | FIELD_DEFINITION

"""Any one set of the outer list; of it, every permission of the inner list."""
directive @requires(permissions: [[String!]!]!) on OBJECT | INTERFACE | FIELD_DEFINITION

"""
Only the owner of the resource: of the one that the argument (a path such as "input.id") names, else of the parent
object. The permission in "unless" replaces ownership; "of" may be omitted where the permissions name the resource.
"""
directive @owner(of: String, argument: String, unless: String) on FIELD_DEFINITION

"""
Only with a second factor that was shown at most so many seconds ago. "ifEnrolled": an account that has no second factor
shows its first one again. "recoveryCode": a recovery code is accepted, too.
"""
directive @stepUp(maxAgeSeconds: Int!, ifEnrolled: Boolean = false, recoveryCode: Boolean = false) on OBJECT | INTERFACE | FIELD_DEFINITION

"""
Through a grant to a third party only where it names one set of these scopes. Without such a scope or a permission that the
grant names, nothing but public fields is open to it.
"""
directive @scope(anyOf: [[String!]!]!) on OBJECT | INTERFACE | FIELD_DEFINITION

"""Not through a grant to a third party."""
directive @firstParty on OBJECT | INTERFACE | FIELD_DEFINITION

"""
Also for an account that has to set up a second factor before anything else: it stands beside @authenticated or @owner.
"""
directive @beforeEnrollment on OBJECT | INTERFACE | FIELD_DEFINITION

"""This field tests a secret: it must be the only root field of its operation."""
directive @credential on FIELD_DEFINITION
`
