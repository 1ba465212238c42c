import type { Account } from '@latchkey/accounts'
import { authDirectives, type RuleMap } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { GraphQLSchema } from 'graphql'
import { administrationResolvers, administrationTypeDefs } from '../../features/administration/administration-schema.ts'
import { lifeTypeDefs } from '../../features/email-change/email-change-schema.ts'
import { codeResolvers } from '../../features/email-code/code-resolvers.ts'
import { codeTypeDefs } from '../../features/email-code/code-type-defs.ts'
import { impersonationResolvers, impersonationTypeDefs } from '../../features/impersonation/impersonation-schema.ts'
import { lifeResolvers } from '../../features/profile/profile-schema.ts'
import { providerResolvers } from '../../features/providers/provider-resolvers.ts'
import { providerTypeDefs } from '../../features/providers/provider-type-defs.ts'
import { accountResolvers } from '../../features/sign-in/sign-in-resolvers.ts'
import { auditStoreOf } from '../../options/audit/audited.ts'
import { offeredLife } from '../../options/server/account-life.ts'
import type { FlatOptions } from '../../options/server/flat-options.ts'
import { offeredFactors } from '../../options/server/second-factors.ts'
import { accountTypeDefs } from '../../schema/account-types.ts'
import { addAccountTypes } from '../../schema/add-account-types.ts'
import { buildSchemaText } from '../../schema/build-schema-text.ts'
import { checkRepeatedNames } from '../../schema/repeated-names.ts'

export interface ServiceSchema {
  readonly schema: GraphQLSchema
  /** The application's policy, with the ownership of accounts. */
  readonly policy: AnyPolicy
  /** The rules beside the schema. */
  readonly rules: RuleMap<AnyPolicy>
}

/**
 * Joins the application's schema with that of the accounts. Of two resolvers for one field the application's is used; two
 * definitions of a field are refused, because joining them would join their rules unnoticed.
 *
 * @throws TypeError when the two cannot be joined.
 */
export function createServiceSchema(options: FlatOptions): ServiceSchema {
  const policy = options.policy.withOwnership({ accounts: { ownerOf: (account: Account) => account.id } })
  const offered = offeredFactors(options)
  const isAudited = auditStoreOf(options) !== null
  const hasClients = options.oauth !== undefined
  const life = offeredLife(options)
  const canImpersonate = options.impersonation !== undefined
  const isCodeOffered = options.emailCode !== undefined
  const hasProviders = options.providers !== undefined
  const ofAccounts = accountTypeDefs(policy, {
    offered,
    isFactorRequired: options.secondFactor !== undefined,
    rolesChange: options.roles !== undefined,
    isAudited,
    hasClients,
    canImpersonate,
  })
  const typeDefs = [
    ofAccounts,
    lifeTypeDefs(life),
    codeTypeDefs(isCodeOffered),
    providerTypeDefs(hasProviders),
    administrationTypeDefs(policy),
    ...(canImpersonate ? [impersonationTypeDefs] : []),
  ].join('\n')
  const resolvers = joinResolvers([
    accountResolvers(policy, { offered, isAudited, hasClients }),
    { Mutation: { ...lifeResolvers(life), ...codeResolvers(isCodeOffered) } },
    providerResolvers(hasProviders),
    administrationResolvers(policy),
    ...(canImpersonate ? [impersonationResolvers] : []),
  ])
  if (options.schema === undefined) return { policy, rules: {}, schema: joinText(options, typeDefs, resolvers) }
  const rules = options.rules ?? {}
  const schema = addAccountTypes(options.schema, { typeDefs, resolvers, rules })
  return { policy, rules, schema }
}

type ServiceResolvers = ReturnType<typeof accountResolvers>

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
