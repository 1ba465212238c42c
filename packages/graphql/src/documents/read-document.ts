import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  type ValidationContext,
  validate,
} from 'graphql'
import { refusal } from '../refusal.ts'
import { type LimitRules, limitRefusal, nestingAtMost } from './limits.ts'
import { findOverlaps } from './overlapping-fields.ts'
import { isNestedTooDeep } from './source-nesting.ts'
import { structuralRefusal } from './structural-limits.ts'
import { findRootConditions } from './subscription-root.ts'

export type DocumentVerdict =
  | { readonly ok: true; readonly document: DocumentNode }
  | { readonly ok: false; readonly errors: readonly GraphQLError[] }

export interface ReadOptions extends LimitRules {
  readonly schema: GraphQLSchema
}

/** GraphQL's own rule of overlapping fields compares them pair by pair: a document can make it work for a second. */
const validationRules = [
  ...specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule),
  NoIncrementalDeliveryRule,
]
/** No document written by a person has differing fields of so many places under one name. */
const comparisonsPerSelection = 100

/** Parses, measures and validates a document. It never throws: whatever goes wrong is a verdict with a message of ours. */
export function readDocument(query: string, options: ReadOptions): DocumentVerdict {
  const { limits } = options
  if (isNestedTooDeep(query, nestingAtMost(limits))) return rejectDocument([limitRefusal('depth', options)])
  try {
    const document = parse(query, { maxLexicalTokens: limits.tokens, maxComments: limits.comments })
    const tooLarge = structuralRefusal(document, options)
    if (tooLarge) return rejectDocument([tooLarge])
    const errors = findErrors(document, options)
    return errors.length > 0 ? rejectDocument(errors) : { ok: true, document: freeze(document) }
  } catch (error) {
    return rejectDocument([parseFailure(error, options)])
  }
}

/** Errors of validation come first: only fields that are valid otherwise can be merged. */
function findErrors(document: DocumentNode, options: ReadOptions): readonly GraphQLError[] {
  const { schema, limits, areLimitsTold } = options
  const conditions = findRootConditions(document)
  if (conditions.length > 0) return conditions.slice(0, limits.validationErrors).map(asRefusal)
  const validation = { maxErrors: limits.validationErrors, hideSuggestions: !areLimitsTold }
  const invalid = validate(schema, document, validationRules, validation).slice(0, limits.validationErrors)
  if (invalid.length > 0) return invalid.map(asRefusal)
  return findOverlapErrors(document, options)
}

function asRefusal(error: GraphQLError): GraphQLError {
  return refusal('GRAPHQL_VALIDATION_FAILED', { message: error.message }, error)
}

function findOverlapErrors(document: DocumentNode, options: ReadOptions): readonly GraphQLError[] {
  const { schema, limits } = options
  for (const operation of document.definitions) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue
    const { errors, isExceeded } = findOverlaps({
      schema,
      document,
      operation,
      errorsAtMost: limits.validationErrors,
      comparisonsAtMost: limits.expandedSelections * comparisonsPerSelection,
    })
    if (isExceeded) return [limitRefusal('expandedSelections', options)]
    if (errors.length > 0) return errors.map(asRefusal)
  }
  return []
}

function rejectDocument(errors: readonly GraphQLError[]): DocumentVerdict {
  return { ok: false, errors }
}

/** The message of a runtime error is never sent. */
function parseFailure(error: unknown, options: ReadOptions): GraphQLError {
  if (!(error instanceof GraphQLError)) return refusal('GRAPHQL_PARSE_FAILED')
  const [, what] = /^Syntax Error: Document contains more tha[nt] \d+ (token|comment)/.exec(error.message) ?? []
  if (what) return limitRefusal(what === 'comment' ? 'comments' : 'tokens', options, error)
  return refusal('GRAPHQL_PARSE_FAILED', { message: error.message }, error)
}

/** Returns the operation to execute; an empty name counts as absent. */
export function chooseOperation(
  document: DocumentNode,
  name: string | null | undefined,
): OperationDefinitionNode | null {
  return getOperationAST(document, name || null) ?? null
}

/** Documents are cached and shared between requests, so they must not change. Locations, which are long, decide nothing. */
function freeze(document: DocumentNode): DocumentNode {
  const waiting: unknown[] = [document]
  for (const node of waiting) {
    if (typeof node !== 'object' || node === null) continue
    Object.freeze(node)
    for (const [name, value] of Object.entries(node)) if (name !== 'loc') waiting.push(value)
  }
  return document
}

const incremental: readonly string[] = ['defer', 'stream']

/**
 * Refuses what asks for an answer in parts: one status stands for the whole answer here. Where the schema does not know
 * these directives, GraphQL itself says so.
 */
function NoIncrementalDeliveryRule(context: ValidationContext): ASTVisitor {
  return {
    Directive(node) {
      const name = node.name.value
      if (!incremental.includes(name) || !context.getSchema().getDirective(name)) return
      context.reportError(new GraphQLError(`"@${name}" is not supported: answers are given whole.`, { nodes: node }))
    },
  }
}
