import { type Comment, type ParamPattern, type Program, parseSync, type TSSignature, Visitor } from 'oxc-parser'

/** A declaration as one compares it: without comments, defaults, names of destructured parameters and line breaks. */
export interface FlatSignature {
  readonly head: string
  /**
   * The members of an interface, class or object type, or of a union, or of an object type and its intersections:
   * sorted, because their order does not matter to users.
   */
  readonly members: readonly string[]
  /** The names of all mentioned types and values. */
  readonly mentioned: readonly string[]
}

interface Span {
  readonly start: number
  readonly end: number
}

interface Edit extends Span {
  readonly text: string
}

/** @param signature the signature of a `Declaration`. */
export function flatSignature(signature: string): FlatSignature {
  // A function needs a body for its parameters to have defaults.
  const text = /^function\b/.test(signature) ? `${signature} {}` : signature
  const { program, comments } = parseSync('signature.ts', text)
  const edits = [...commentEdits(comments), ...parameterEdits(program, text), ...separatorEdits(program, text)]
  const [declaration] = program.body
  const parts = declaration ? partsOf(declaration) : []
  const flat = ({ start, end }: Span) => flatten(text, { start, end }, edits)
  const [first] = parts
  const head = first
    ? flat({ start: 0, end: first.start }).replace(/[\s{=|]+$/, '')
    : flat({ start: 0, end: text.length })
  return {
    head: head.replace(/\s*\{\s*\}$/, ''),
    members: parts.map((part) => flat(part).replace(/;$/, '')).sort(),
    mentioned: namesIn(program),
  }
}

/** Returns the parts with a separate line. */
function partsOf(declaration: Program['body'][number]): readonly Span[] {
  switch (declaration.type) {
    case 'TSInterfaceDeclaration':
    case 'ClassDeclaration':
      return declaration.body.body
    case 'TSTypeAliasDeclaration': {
      const { typeAnnotation } = declaration
      if (typeAnnotation.type === 'TSUnionType') return typeAnnotation.types
      if (typeAnnotation.type === 'TSIntersectionType' && typeAnnotation.types[0]?.type === 'TSTypeLiteral') {
        return typeAnnotation.types.flatMap((type): readonly Span[] =>
          type.type === 'TSTypeLiteral' ? type.members : [type],
        )
      }
      return typeAnnotation.type === 'TSTypeLiteral' ? typeAnnotation.members : []
    }
    default:
      return []
  }
}

function commentEdits(comments: readonly Comment[]): Edit[] {
  return comments.map(({ start, end }) => ({ start, end, text: '' }))
}

/** For callers, `{ path = '/' }: Options = {}` is `options?: Options`. */
function parameterEdits(program: Program, text: string): Edit[] {
  const found: Edit[] = []
  const add = ({ params }: { readonly params: readonly ParamPattern[] }) => {
    for (const param of params) found.push(...parameterEdit(param, text))
  }
  new Visitor({ FunctionDeclaration: add, FunctionExpression: add, TSEmptyBodyFunctionExpression: add }).visit(program)
  return found
}

function parameterEdit(param: ParamPattern, text: string): Edit[] {
  const hasDefault = param.type === 'AssignmentPattern'
  const target = hasDefault ? param.left : param
  if (!('typeAnnotation' in target) || !target.typeAnnotation) return []
  const name = target.type === 'Identifier' ? target.name : 'options'
  const isOptional = hasDefault || ('optional' in target && target.optional)
  if (target.type === 'Identifier' && !hasDefault) return []
  const before = { start: param.start, end: target.typeAnnotation.start, text: `${name}${isOptional ? '?' : ''}` }
  const after = { start: target.typeAnnotation.end, end: param.end, text: '' }
  return text.slice(param.start, param.end).startsWith('...') ? [] : [before, after]
}

/** Members of an object type inside a line need what a line break was. */
function separatorEdits(program: Program, text: string): Edit[] {
  const found: Edit[] = []
  const add = (members: readonly TSSignature[]) => {
    for (const { end } of members.slice(0, -1)) {
      if (!/[;,]/.test(text.slice(end - 1, end))) found.push({ start: end, end, text: ';' })
    }
  }
  new Visitor({ TSTypeLiteral: ({ members }) => add(members) }).visit(program)
  return found
}

function flatten(text: string, { start, end }: Span, edits: readonly Edit[]): string {
  const inside = edits.filter((edit) => edit.start >= start && edit.end <= end)
  const outermost = inside.filter(
    (edit) => !inside.some((other) => other !== edit && other.start <= edit.start && edit.end < other.end),
  )
  let flat = ''
  let position = start
  for (const edit of outermost.sort((left, right) => left.start - right.start)) {
    flat += text.slice(position, edit.start) + edit.text
    position = edit.end
  }
  return withoutBreaks(flat + text.slice(position, end))
}

/** Undoes what a formatter does to a long line. */
function withoutBreaks(code: string): string {
  return code
    .replace(/\s+/g, ' ')
    .replace(/,? ([)\]>])/g, '$1')
    .replace(/([([<]) /g, '$1')
    .replace(/([(<:=?,]) ?\| /g, '$1 ')
    .replace(/\( /g, '(')
    .trim()
}

function namesIn(program: Program): string[] {
  const found = new Set<string>()
  const add = (node: { readonly type: string } | null) => {
    if (node?.type === 'Identifier' && 'name' in node && typeof node.name === 'string') found.add(node.name)
  }
  new Visitor({
    TSTypeReference: ({ typeName }) => add(typeName),
    TSTypeQuery: ({ exprName }) => add(exprName),
    TSInterfaceHeritage: ({ expression }) => add(expression),
    TSClassImplements: ({ expression }) => add(expression),
    ClassDeclaration: ({ superClass }) => add(superClass),
  }).visit(program)
  return [...found].sort()
}
