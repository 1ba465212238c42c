import type { Access } from '@latchkey/graphql'
import { type DocumentNode, Kind, type OperationDefinitionNode, OperationTypeNode, parse, validate } from 'graphql'

/** One named query or mutation, valid for the schema. */
export interface ToolDocument {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly name: string
  readonly kind: 'query' | 'mutation'
}

/**
 * Reads the document of a tool.
 *
 * @param position how an operation without a name is named in messages.
 * @throws TypeError for anything but one named query or mutation within the limits of the service.
 */
export function readToolDocument(text: string, access: Access, position: string): ToolDocument {
  const document = parseTool(text, position)
  const [operation, another] = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
  const name = operation?.name?.value
  if (!operation || another) throw new TypeError(`${position}: a document must have exactly one operation`)
  if (name === undefined) throw new TypeError(`${position}: the operation must have a name`)
  const { operation: kind } = operation
  if (kind === OperationTypeNode.SUBSCRIPTION) throw new TypeError(`"tools": ${name}: a subscription cannot be a tool`)
  const [invalid] = validate(access.schema, document)
  if (invalid) throw new TypeError(`"tools": ${name}: ${invalid.message}`)
  checkLimits(text, name, access)
  return { document, operation, name, kind }
}

function parseTool(text: string, position: string): DocumentNode {
  try {
    return parse(text)
  } catch (cause) {
    throw new TypeError(`${position}: ${cause instanceof Error ? cause.message : 'the document cannot be read'}`, {
      cause,
    })
  }
}

const ofDocuments = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'QUERY_LIMIT_EXCEEDED']

/** Applies the limits of the endpoint, which `validate` does not know. Without an identity the verdict is not a promise. */
function checkLimits(query: string, name: string, { prepare }: Access): void {
  const verdict = prepare({ query }, { identity: null })
  if (verdict instanceof Promise || verdict.ok) return
  const refused = verdict.errors.find(({ extensions }) => ofDocuments.includes(String(extensions.code)))
  if (refused) throw new TypeError(`"tools": ${name}: ${refused.message}`)
}
