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

/** The messages of these hold only what stands in the document. */
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

/** What the others say instead, by the node that they report. */
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
 * Returns the rule with messages that hold no name of the schema but those that the document has. The message that the
 * author of a scalar meant for clients stays.
 *
 * @param rule one of GraphQL's; of one that is not known here, nothing but the place is told.
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
