import { type DocumentNode, Kind, Lexer, Location, type Source, type Token } from 'graphql'

/**
 * Returns a frozen document that requests can share. It takes a third of the memory of the output of `parse`. The nodes
 * of the given document become part of it.
 */
export function keepDocument(document: DocumentNode): DocumentNode {
  return keepValue(document, { locations: new Map(), texts: new Map() }) as DocumentNode
}

/** Recursive, because the nesting was checked before parsing. */
function keepValue(value: unknown, keeping: Keeping): unknown {
  if (typeof value === 'string') return shareText(keeping, value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Location) return shareLocation(keeping, value)
  if (Array.isArray(value) && value.length === 0) return noNodes
  const kept: Node = Array.isArray(value) ? (value.slice() as unknown as Node) : copyNode(value as Node)
  for (const name of Object.keys(kept)) kept[name] = keepValue(kept[name], keeping)
  return Object.freeze(kept)
}

const noNodes: readonly unknown[] = Object.freeze([])

type Node = Record<string, unknown>

/**
 * Most nodes have these kinds. An object literal with all members takes a third less memory than an object with members
 * added later.
 */
function copyNode(node: Node): Node {
  const { kind, value, alias, name, arguments: args, directives, selectionSet, selections, loc } = node
  const members = Object.keys(node).length
  if (kind === Kind.NAME && members === 3) return { kind, value, loc }
  if (kind === Kind.FIELD && members === 7) return { kind, alias, name, arguments: args, directives, selectionSet, loc }
  if (kind === Kind.SELECTION_SET && members === 3) return { kind, selections, loc }
  return { ...node }
}

/** Equal parts of a document, which become one object. */
interface Keeping {
  readonly locations: Map<string, KeptLocation>
  readonly texts: Map<string, string>
}

function shareLocation({ locations }: Keeping, { start, end, source }: Location): KeptLocation {
  const key = `${start} ${end}`
  const known = locations.get(key) ?? new KeptLocation(start, end, source)
  locations.set(key, known)
  return known
}

function shareText({ texts }: Keeping, text: string): string {
  const known = texts.get(text)
  if (known === undefined) texts.set(text, text)
  return known ?? text
}

/** A location without its tokens, which take most of the memory: they are read on demand. */
class KeptLocation {
  readonly start: number
  readonly end: number
  readonly source: Source
  declare readonly toJSON: Location['toJSON']

  constructor(start: number, end: number, source: Source) {
    this.start = start
    this.end = end
    this.source = source
  }

  get startToken(): Token {
    return readTokens(this).at(0) ?? new Lexer(this.source).token
  }

  get endToken(): Token {
    return readTokens(this).at(-1) ?? new Lexer(this.source).token
  }
}
Object.setPrototypeOf(KeptLocation.prototype, Location.prototype)

function readTokens({ start, end, source }: KeptLocation): readonly Token[] {
  const lexer = new Lexer(source)
  const tokens: Token[] = []
  for (let token = lexer.advance(); token.start < end && token.end > token.start; token = lexer.advance()) {
    if (token.start >= start) tokens.push(token)
  }
  return tokens
}
