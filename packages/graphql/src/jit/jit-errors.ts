import { type DocumentNode, type ExecutionResult, GraphQLError, type Source } from 'graphql'

/**
 * Gives the errors of a compiled operation the form that `graphql` gives them. Of several that make one place null,
 * the first is told, as `graphql` does.
 */
export function locateJitErrors(result: ExecutionResult, { loc }: DocumentNode): ExecutionResult {
  const nulled = new Set<string>()
  const errors: GraphQLError[] = []
  for (const error of result.errors ?? []) {
    const place = placeOfNull(result.data, error.path ?? []).join('\n')
    const isBubbled = place !== (error.path ?? []).join('\n')
    if (isBubbled && nulled.has(place)) continue
    nulled.add(place)
    errors.push(locate(error, loc?.source))
  }
  return { ...result, errors }
}

function placeOfNull(data: unknown, path: readonly (string | number)[]): readonly (string | number)[] {
  let value = data
  for (let depth = 0; depth < path.length; depth++) {
    if (typeof value !== 'object' || value === null) return path.slice(0, depth)
    value = (value as Readonly<Record<string | number, unknown>>)[path[depth] ?? '']
  }
  return path
}

/** Its errors know line and column instead of nodes. */
function locate({ message, path, locations, originalError }: GraphQLError, source: Source | undefined): GraphQLError {
  const own = originalError instanceof GraphQLError ? originalError : null
  const positions = source && locations?.map(({ line, column }) => positionOf(source.body, line, column))
  return new GraphQLError(message, {
    nodes: own?.nodes,
    source: own?.source ?? source,
    positions: own?.positions ?? positions,
    path,
    originalError: originalError instanceof Error ? originalError : undefined,
  })
}

function positionOf(body: string, line: number, column: number): number {
  const lines = /\r\n|[\n\r]/g
  let start = 0
  for (let at = 1; at < line; at++) {
    const match = lines.exec(body)
    if (!match) break
    start = match.index + match[0].length
  }
  return start + column - 1
}
