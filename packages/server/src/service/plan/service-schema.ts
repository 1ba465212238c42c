import type { Account } from '@latchkey/accounts'
import { keyDaysByDefault } from '@latchkey/accounts/internal'
import { authDirectives, type RuleMap } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { GraphQLSchema } from 'graphql'
import { auditStoreOf } from '../../options/audit/audited.ts'
import { offeredLife } from '../../options/server/account-life.ts'
import type { FlatOptions } from '../../options/server/flat-options.ts'
import { offeredFactors } from '../../options/server/second-factors.ts'
import { accountTypes } from '../../schema/account-types.ts'
import { addAccountTypes } from '../../schema/add-account-types.ts'
import { buildSchemaText } from '../../schema/build-schema-text.ts'
import { checkRepeatedNames } from '../../schema/repeated-names.ts'
import type { FeatureSchema, SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'

export interface ServiceSchema {
  readonly schema: GraphQLSchema
  /** The application's policy, with the ownership of accounts. */
  readonly policy: AnyPolicy
  /** The rules outside the schema. */
  readonly rules: RuleMap<AnyPolicy>
}

/**
 * Joins the application's schema with the account schema. If both have a resolver for a field, the application's is
 * used. If both define a field, the schema is refused, because joined definitions would silently join their rules.
 *
 * @throws TypeError if the schemas cannot be joined.
 */
export function createServiceSchema(options: FlatOptions, features: readonly FeatureSchema[]): ServiceSchema {
  const policy = options.policy.withOwnership({ accounts: { ownerOf: (account: Account) => account.id } })
  const offer = offerOf(options, policy)
  const parts = [accountTypes, ...features].flatMap((schemaOf) => schemaOf(offer) ?? [])
  const typeDefs = parts.map((part) => part.typeDefs).join('\n')
  const resolvers = joinResolvers(parts.map((part) => part.resolvers))
  if (options.schema === undefined) return { policy, rules: {}, schema: joinText(options, typeDefs, resolvers) }
  const rules = options.rules ?? {}
  const schema = addAccountTypes(options.schema, { typeDefs, resolvers, rules })
  return { policy, rules, schema }
}

function offerOf(options: FlatOptions, policy: AnyPolicy): SchemaOffer {
  const isFactorRequired = options.secondFactor !== undefined
  return {
    policy,
    factors: offeredFactors(options),
    isFactorRequired,
    before: isFactorRequired ? '@beforeEnrollment' : '',
    rolesChange: options.roles !== undefined,
    isAudited: auditStoreOf(options) !== null,
    hasClients: options.oauth !== undefined,
    canImpersonate: options.impersonation !== undefined,
    hasApiKeys: options.apiKeys !== undefined,
    apiKeyDays: keyDaysByDefault(options.apiKeys?.maxDays),
    life: offeredLife(options),
    isCodeOffered: options.emailCode !== undefined,
    hasProviders: options.providers !== undefined,
  }
}

type ServiceResolvers = SchemaPart['resolvers']

function joinResolvers(parts: readonly ServiceResolvers[]): ServiceResolvers {
  const types = [...new Set(parts.flatMap((part) => Object.keys(part)))]
  return Object.fromEntries(types.map((type) => [type, Object.assign({}, ...parts.map((part) => part[type]))]))
}

function joinText(
  { typeDefs, resolvers }: Pick<FlatOptions, 'typeDefs' | 'resolvers'>,
  ours: string,
  ourResolvers: ServiceResolvers,
): GraphQLSchema {
  const texts = [typeDefs].flat()
  if (!texts.every((sdl) => typeof sdl === 'string')) {
    throw new TypeError('"typeDefs" must be a text in the schema language, or a list of such texts')
  }
  try {
    checkRepeatedNames(ours, texts)
    return buildSchemaText([authDirectives, ours, ...texts], [ourResolvers, resolvers ?? {}])
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'they cannot be read'
    throw new TypeError(`"typeDefs" and "resolvers" are not a valid schema: ${reason}`, { cause })
  }
}
