import {
  type ASTNode,
  ExecutableDefinitionsRule,
  FieldsOnCorrectTypeRule,
  FragmentsOnCompositeTypesRule,
  GraphQLError,
  Kind,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  KnownTypeNamesRule,
  LoneAnonymousOperationRule,
  MaxIntrospectionDepthRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  PossibleFragmentSpreadsRule,
  ProvidedRequiredArgumentsRule,
  print,
  ScalarLeafsRule,
  SingleFieldSubscriptionsRule,
  UniqueArgumentNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
  type ValidationRule,
  VariablesAreInputTypesRule,
  VariablesInAllowedPositionRule,
} from 'graphql'
import { AccessError } from '../errors.ts'
import { authorMessage } from './author-message.ts'
import { OneOfVariablesRule } from './rules/one-of-variables.ts'
import { LocatedValuesRule, reportThrough } from './rules/report-through.ts'

/** The messages of these rules use only text of the document. */
const documentRules: ReadonlySet<ValidationRule> = new Set([
  ExecutableDefinitionsRule,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  LoneAnonymousOperationRule,
  MaxIntrospectionDepthRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  SingleFieldSubscriptionsRule,
  UniqueArgumentNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
])

/** The messages of the other rules, by the reported node. */
const words: ReadonlyMap<ValidationRule, (node: ASTNode) => string> = new Map([
  [FieldsOnCorrectTypeRule, (node) => `Cannot query field ${nameOf(node)} here.`],
  [FragmentsOnCompositeTypesRule, (node) => `A fragment cannot have the type condition "${print(node)}".`],
  [KnownArgumentNamesRule, (node) => `Unknown argument ${nameOf(node)}.`],
  [LocatedValuesRule, describeValue],
  [KnownTypeNamesRule, (node) => `Unknown type "${print(node)}".`],
  [PossibleFragmentSpreadsRule, describeSpread],
  [ProvidedRequiredArgumentsRule, (node) => `A required argument of ${nameOf(node)} is missing.`],
  [ScalarLeafsRule, describeLeaf],
  [VariablesAreInputTypesRule, (node) => `A variable cannot be of type "${print(node)}".`],
  [VariablesInAllowedPositionRule, describeVariable],
  [OneOfVariablesRule, describeVariable],
])

const unfit = new AccessError('GRAPHQL_VALIDATION_FAILED').message

/**
 * Returns the rule with messages that use only names of the document. Messages that the author of a scalar wrote for
 * clients are kept.
 *
 * @param rule a rule of GraphQL. An unknown rule reports only the location.
 */
export function hideSchema(rule: ValidationRule): ValidationRule {
  if (documentRules.has(rule)) return rule
  const describe = words.get(rule) ?? (() => unfit)
  return reportThrough(rule, (error) => {
    const { nodes, source, positions } = error
    const [node] = nodes ?? []
    const message = authorMessage(error) ?? (node ? describe(node) : unfit)
    return new GraphQLError(message, { nodes, source, positions })
  })
}

function nameOf(node: ASTNode): string {
  return 'name' in node && node.name ? `"${node.name.value}"` : 'this'
}

function describeLeaf(node: ASTNode): string {
  return node.kind === Kind.FIELD
    ? `Field ${nameOf(node)} must have a selection of subfields.`
    : 'This field must not have a selection of subfields.'
}

function describeSpread(node: ASTNode): string {
  return `${node.kind === Kind.FRAGMENT_SPREAD ? `Fragment ${nameOf(node)}` : 'This fragment'} cannot be spread here.`
}

function describeValue(node: ASTNode): string {
  return node.kind === Kind.OBJECT_FIELD ? `Field ${nameOf(node)} is not valid here.` : 'The value is not valid here.'
}

function describeVariable(node: ASTNode): string {
  if (node.kind !== Kind.VARIABLE_DEFINITION) return unfit
  return `Variable "$${node.variable.name.value}" of type "${print(node.type)}" cannot be used here.`
}
