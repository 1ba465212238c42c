import type { AnyPolicy, Rule } from '@latchkey/rbac'
import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql'
import { AccessError } from '../errors.ts'
import { forbiddenError, outOfScopeError, unenrolledError } from '../refusal.ts'
import type { RuleDecider } from '../rules/decide-rule.ts'
import { type FieldAccess, isRootType } from '../rules/effective-rules.ts'
import { awaitListItems } from './await-list-items.ts'
import { checkScalars } from './checked-scalars.ts'
import { copySchema, type FieldConfig } from './copy-schema.ts'
import { createOwnerGuard, type OwnerGuard } from './guard-owner.ts'
import { openSeal, type SealedRequest } from './sealed-request.ts'

export interface SealInput {
  readonly schema: GraphQLSchema
  readonly access: ReadonlyMap<string, FieldAccess>
  readonly policy: AnyPolicy
  readonly decider: RuleDecider
}

type Resolve = GraphQLFieldResolver<unknown, unknown>

/**
 * The schema that executes decided operations: root fields open the seal, fields with an owner rule check the owner,
 * and all other fields are unchanged.
 */
export function sealSchema(input: SealInput): GraphQLSchema {
  const guard = createOwnerGuard(input.policy, input.decider)
  return closeSchema(
    copySchema(input.schema, (coordinate, given, type) => {
      const config = awaitListItems(given)
      const rules = input.access.get(coordinate)?.rules ?? []
      if (rules.some((rule) => rule.orNull)) return wrap(config, guardNull)
      const owned = rules.filter((rule) => rule.owner)
      if (owned.length === 0 && !isRootType(input.schema, type)) return config
      return wrap(config, (resolve) => guardOwned(resolve, owned, guard))
    }),
  )
}

/**
 * The same for operations with a credential field, which may change the identity: below it, each field that is not
 * public checks its own rules.
 */
export function sealCredentialSchema(input: SealInput): GraphQLSchema {
  const guard = createOwnerGuard(input.policy, input.decider)
  return closeSchema(
    copySchema(input.schema, (coordinate, given, type) => {
      const config = awaitListItems(given)
      const access = input.access.get(coordinate)
      const isRoot = isRootType(input.schema, type)
      if (!access || (access.rules.length === 0 && !isRoot)) return config
      if (access.isCredential && isRoot)
        return wrap(config, (resolve) => guardCredential(resolve, access, guard, input.decider))
      return wrap(config, (resolve) => guardAll(resolve, access.rules, guard, input.decider))
    }),
  )
}

/** Fields without subscriptions ignore `subscribe`. */
function wrap(config: FieldConfig, guarded: (resolve: Resolve) => Resolve): FieldConfig {
  const resolve = guarded(config.resolve ?? defaultFieldResolver)
  return { ...config, resolve, subscribe: guarded(config.subscribe ?? defaultFieldResolver) }
}

function guardOwned(resolve: Resolve, owned: readonly Rule[], guard: OwnerGuard): Resolve {
  return (source, args, context, info) => {
    const request = openSeal(context, info)
    const refuse = () => outOfScopeError(request.names?.lifting([{ rules: owned }]) ?? null)
    return proceed(guard.check(owned, request, source, args), () => resolve(source, args, context, info), refuse)
  }
}

/** The fields below a field that the plan took for null were not decided. */
function guardNull(resolve: Resolve): Resolve {
  return (source, args, context, info) =>
    openSeal(context, info).open.has(info.fieldName) ? resolve(source, args, context, info) : null
}

function guardAll(resolve: Resolve, rules: readonly Rule[], guard: OwnerGuard, decider: RuleDecider): Resolve {
  return (source, args, context, info) => {
    const request = openSeal(context, info)
    if (!areAllowed(rules, request, decider)) throw refusalOf(rules, request, decider)
    return proceed(guard.check(rules, request, source, args), () => resolve(source, args, context, info))
  }
}

/**
 * The plan has decided the rule of the field. The rules of the returned type apply to the identity that it signs in.
 */
function guardCredential(resolve: Resolve, access: FieldAccess, guard: OwnerGuard, decider: RuleDecider): Resolve {
  const { own, returned } = access
  return async (source, args, context, info) => {
    const request = openSeal(context, info)
    if (!(await guard.check(own, request, source, args))) throw new AccessError('FORBIDDEN')
    const result: unknown = await resolve(source, args, context, info)
    if (result !== null && result !== undefined && !areAllowed(returned, request, decider))
      throw refusalOf(returned, request, decider)
    return result
  }
}

function areAllowed(rules: readonly Rule[], { identity }: SealedRequest, decider: RuleDecider): boolean {
  return rules.every((rule) => decider.decide(rule, identity, rules) === 'allowed')
}

function refusalOf(rules: readonly Rule[], { identity }: SealedRequest, decider: RuleDecider): AccessError {
  const isUnenrolled = rules.some((rule) => decider.decide(rule, identity, rules) === 'unenrolled')
  return isUnenrolled ? unenrolledError() : forbiddenError(false)
}

function proceed(
  isAllowed: boolean | Promise<boolean>,
  resolve: () => unknown,
  refuse = () => new AccessError('FORBIDDEN'),
): unknown {
  if (typeof isAllowed !== 'boolean') return isAllowed.then((answer) => proceed(answer, resolve, refuse))
  if (!isAllowed) throw refuse()
  return resolve()
}

function closeSchema(copy: GraphQLSchema): GraphQLSchema {
  return closeMetaFields(checkScalars(copy))
}

/** `__schema` and `__type` belong to no type that could be copied; GraphQL 17 reads them from the schema. */
function closeMetaFields(sealed: GraphQLSchema): GraphQLSchema {
  if (!('getField' in sealed)) return sealed
  const closed = new Map(
    [SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => {
      const resolve: Resolve = (source, args, context, info) => {
        openSeal(context, info)
        return field.resolve?.(source, args, context, info)
      }
      return [field.name, Object.assign(Object.create(field), { resolve }) as typeof field]
    }),
  )
  const find = sealed.getField.bind(sealed)
  const getField: typeof sealed.getField = (type, name) => {
    const field = find(type, name)
    return field && (closed.get(field.name) ?? field)
  }
  return Object.defineProperty(sealed, 'getField', { value: getField })
}
