import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql'
import { refusal } from '../refusal.ts'
import { authorMessage, isOfRuntime } from './author-message.ts'
import { hideSchema } from './hidden-schema.ts'
import { type LimitRules, limitRefusal } from './limits.ts'
import { findOverlaps } from './overlapping-fields.ts'
import { OneOfVariablesRule } from './rules/one-of-variables.ts'
import { LocatedValuesRule } from './rules/report-through.ts'
import { findRootConditions } from './subscription-root.ts'

export interface ValidationOptions extends LimitRules {
  readonly schema: GraphQLSchema
}

const replaced: ReadonlyMap<ValidationRule, readonly ValidationRule[]> = new Map([
  // It compares fields in pairs: a document can keep it busy for a second.
  [OverlappingFieldsCanBeMergedRule, []],
  [ValuesOfCorrectTypeRule, [LocatedValuesRule]],
])
const openRules = [
  ...specifiedRules.flatMap((rule) => replaced.get(rule) ?? [rule]),
  OneOfVariablesRule,
  NoIncrementalDeliveryRule,
]
const hidingRules = openRules.map((rule) => (rule === NoIncrementalDeliveryRule ? rule : hideSchema(rule)))

/** Documents written by people have far fewer places with different fields under one name. */
const comparisonsPerSelection = 100

/**
 * Returns the validation errors of a measured document. Without details, messages contain only names of the document.
 *
 * Errors of GraphQL's rules come first: only fields that are valid otherwise can be merged.
 */
export function findInvalid(document: DocumentNode, options: ValidationOptions): readonly GraphQLError[] {
  const { schema, limits, areDetailsTold } = options
  const conditions = findRootConditions(document)
  if (conditions.length > 0) return conditions.slice(0, limits.validationErrors).map(asRefusal)
  const rules = areDetailsTold ? openRules : hidingRules
  const validation = { maxErrors: limits.validationErrors, hideSuggestions: !areDetailsTold }
  const invalid = validate(schema, document, rules, validation)
  if (invalid.length > 0) return withoutRepetition(invalid.slice(0, limits.validationErrors)).map(asRefusal)
  return findOverlapErrors(document, options)
}

/** Repeated errors at one location would reveal the number of required arguments. */
function withoutRepetition(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  const known = new Map(errors.map((error) => [`${error.message} ${error.positions}`, error]))
  return [...known.values()]
}

function asRefusal(error: GraphQLError): GraphQLError {
  return refusal('GRAPHQL_VALIDATION_FAILED', { message: messageOf(error) }, error)
}

/** The error of a scalar may contain a query or a path, so only a message that its author wrote for clients is sent. */
function messageOf(error: GraphQLError): string {
  const meant = authorMessage(error)
  if (meant !== null || !isOfRuntime(error)) return meant ?? error.message
  const [expected] = /^Expected value of type "[^"]+"/.exec(error.message) ?? ['The value is not valid']
  return `${expected}.`
}

function findOverlapErrors(document: DocumentNode, options: ValidationOptions): readonly GraphQLError[] {
  const { schema, limits, areDetailsTold } = options
  for (const operation of document.definitions) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue
    const { errors, isExceeded } = findOverlaps({
      schema,
      document,
      operation,
      areTypesTold: areDetailsTold,
      errorsAtMost: limits.validationErrors,
      comparisonsAtMost: limits.expandedSelections * comparisonsPerSelection,
    })
    if (isExceeded) {
      const operationName = operation.name?.value
      return [limitRefusal({ limit: 'expandedSelections', value: null, operationName }, options)]
    }
    if (errors.length > 0) return errors.map(asRefusal)
  }
  return []
}

const incremental: readonly string[] = ['defer', 'stream']

/**
 * Refuses answers in parts, because a status applies to the whole answer. If the schema does not define these
 * directives, GraphQL itself refuses them.
 */
function NoIncrementalDeliveryRule(context: ValidationContext): ASTVisitor {
  return {
    Directive(node) {
      const name = node.name.value
      if (!incremental.includes(name) || !context.getSchema().getDirective(name)) return
      context.reportError(new GraphQLError(`"@${name}" is not supported. Remove the directive.`, { nodes: node }))
    },
  }
}
