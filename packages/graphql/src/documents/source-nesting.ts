/**
 * Whether the brackets of a GraphQL document are nested deeper than a limit. Parsers and validators recurse, and the
 * client chooses the depth. One pass, without recursion; strings and comments are skipped as in the lexer.
 */
export function isNestedTooDeep(source: string, limit: number): boolean {
  let depth = 0
  for (let index = 0; index < source.length; index++) {
    const character = source[index]
    if (character === '"') index = endOfString(source, index)
    else if (character === '#') index = endOfLine(source, index)
    else if (character === '{' || character === '[' || character === '(') depth++
    else if (character === '}' || character === ']' || character === ')') depth = Math.max(0, depth - 1)
    if (depth > limit) return true
  }
  return false
}

/** The index of the closing quote, or of the end of the text. */
function endOfString(source: string, start: number): number {
  if (source.startsWith('"""', start)) return endOfBlock(source, start + 3)
  for (let index = start + 1; index < source.length; index++) {
    const character = source[index]
    if (character === '\\') index++
    else if (character === '"' || character === '\n' || character === '\r') return index
  }
  return source.length
}

function endOfBlock(source: string, start: number): number {
  let end = source.indexOf('"""', start)
  while (end > 0 && source[end - 1] === '\\') end = source.indexOf('"""', end + 3)
  return end < 0 ? source.length : end + 2
}

function endOfLine(source: string, start: number): number {
  let index = start
  while (index < source.length && source[index] !== '\n' && source[index] !== '\r') index++
  return index
}
