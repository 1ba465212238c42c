import { type DocumentNode, GraphQLError, getOperationAST, type OperationDefinitionNode, parse } from 'graphql'
import { keepDocument } from '../kept-document.ts'
import { refusal } from '../refusal.ts'
import { type ExceededLimit, limitRefusal, nestingAtMost } from './limits.ts'
import { isNestedTooDeep } from './source-nesting.ts'
import { checkStructure } from './structural-limits.ts'
import { findInvalid, type ValidationOptions } from './validate-document.ts'

export type DocumentVerdict =
  | { readonly ok: true; readonly document: DocumentNode; readonly exceeded: readonly ExceededLimit[] }
  | { readonly ok: false; readonly errors: readonly GraphQLError[] }

/**
 * Parses, measures and validates a document. It never throws: every failure is a verdict with a message of this
 * package.
 */
export function readDocument(query: string, options: ValidationOptions): DocumentVerdict {
  const { limits } = options
  if (isNestedTooDeep(query, nestingAtMost(limits)))
    return rejectDocument([limitRefusal({ limit: 'depth', value: null }, options)])
  try {
    return checkDocument(parse(query, { maxLexicalTokens: limits.tokens, maxComments: limits.comments }), options)
  } catch (error) {
    return rejectDocument([parseFailure(error, options)])
  }
}

/** Rules report errors. If a rule throws, the error has no message for clients. */
function checkDocument(parsed: DocumentNode, options: ValidationOptions): DocumentVerdict {
  // Errors reference nodes of the document, so refused documents are kept too.
  const document = keepDocument(parsed)
  try {
    const structure = checkStructure(document, options)
    if (!structure.ok) return rejectDocument([structure.error])
    const errors = findInvalid(document, options)
    return errors.length > 0 ? rejectDocument(errors) : { ok: true, document, exceeded: structure.exceeded }
  } catch {
    return rejectDocument([refusal('GRAPHQL_VALIDATION_FAILED')])
  }
}

function rejectDocument(errors: readonly GraphQLError[]): DocumentVerdict {
  return { ok: false, errors }
}

/** The message of a runtime error is never sent. */
function parseFailure(error: unknown, options: ValidationOptions): GraphQLError {
  if (!(error instanceof GraphQLError)) return refusal('GRAPHQL_PARSE_FAILED')
  const [, what] = /^Syntax Error: Document contains more tha[nt] \d+ (token|comment)/.exec(error.message) ?? []
  if (what) return limitRefusal({ limit: what === 'comment' ? 'comments' : 'tokens', value: null }, options, error)
  return refusal('GRAPHQL_PARSE_FAILED', { message: error.message }, error)
}

/** Returns the operation to execute; an empty name counts as absent. */
export function chooseOperation(
  document: DocumentNode,
  name: string | null | undefined,
): OperationDefinitionNode | null {
  return getOperationAST(document, name || null) ?? null
}
