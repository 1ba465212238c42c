import type { Access } from '@latchkey/graphql'
import { type OperationAccess, readOperationAccess } from '@latchkey/graphql/internal'
import { inputSchema } from '../schemas/input-schema.ts'
import type { JsonSchema, ScalarSchemas } from '../schemas/leaf-schema.ts'
import { outputSchema } from '../schemas/output-schema.ts'
import { readVariableUses } from '../schemas/variable-uses.ts'
import { digestOf } from './digest.ts'
import { readToolDocument, type ToolDocument } from './read-document.ts'
import type { Tool } from './tool.ts'

/** A tool as the application writes it. */
export interface ToolSource {
  /** One named query or mutation with its fragments. */
  readonly document: string
  readonly description: string
  readonly title?: string
  readonly destructive?: boolean
}

export interface ReadToolsParts {
  readonly access: Access
  readonly publishedScopes: readonly string[]
  readonly scalars: ScalarSchemas
}

/** The key of `_meta` under which a tool has its scopes. */
const accessKey = 'io.latchkey/access'

/**
 * Reads the tools in their order, by name.
 *
 * @throws TypeError that names the tool, if no client could call it or its access cannot be published.
 */
export function readTools(sources: readonly ToolSource[], parts: ReadToolsParts): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>()
  for (const [index, source] of sources.entries()) {
    const tool = readTool(source, `"tools[${index}]"`, parts)
    if (tools.has(tool.name)) throw new TypeError(`"tools": ${tool.name}: the name is not unique`)
    tools.set(tool.name, tool)
  }
  return tools
}

function readTool(source: ToolSource, position: string, parts: ReadToolsParts): Tool {
  const { document: text, description } = source
  if (typeof text !== 'string') throw new TypeError(`${position}: "document" must be a text`)
  const read = readToolDocument(text, parts.access, position)
  const { name, kind, operation } = read
  try {
    if (typeof description !== 'string' || description.trim() === '')
      throw new TypeError('"description" must say what the tool does')
    const access = accessOf(read, parts)
    const variables = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? []
    return {
      ...{ name, kind, access },
      document: text,
      documentHash: digestOf(text),
      variables: new Set(variables),
      listed: listedTool(source, { ...read, access }, parts),
    }
  } catch (cause) {
    throw new TypeError(`"tools": ${name}: ${cause instanceof Error ? cause.message : ''}`, { cause })
  }
}

function listedTool(
  { description, title, destructive = true }: ToolSource,
  { name, kind, document, operation, access }: ToolDocument & { readonly access: OperationAccess },
  { access: { schema, limits }, scalars }: ReadToolsParts,
): Tool['listed'] {
  const uses = readVariableUses(document, schema, limits.pageSize)
  const { scopes, owner, stepUp } = access
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: asObject(inputSchema(operation, { schema, scalars, uses })),
    outputSchema: asObject(outputSchema(document, operation, { schema, scalars })),
    annotations: {
      readOnlyHint: kind === 'query',
      destructiveHint: kind === 'mutation' && destructive,
      openWorldHint: false,
    },
    _meta: { [accessKey]: { scopes, owner, stepUp } },
  }
}

function asObject(schema: JsonSchema): Tool['listed']['inputSchema'] {
  return { ...schema, type: 'object' }
}

function accessOf({ document, operation }: ToolDocument, { access, publishedScopes }: ReadToolsParts): OperationAccess {
  const read = readOperationAccess(access, [document, operation], publishedScopes)
  if (!read.ok) throw new TypeError(refusals[read.reason])
  if (read.access.scopes !== null) return read.access
  throw new TypeError(read.access.isFirstParty ? refusals.firstParty : refusals.unpublished)
}

const refusals = {
  credential: 'a field tests a secret, which no client of others may send',
  varies: 'a variable, or a field with @orNull, decides which scopes the operation needs: use a document for each case',
  firstParty: 'a field is for the service itself (@firstParty, or a mutation whose rules name no permission)',
  unpublished: 'a field needs a permission or scope that no published scope grants',
} as const
