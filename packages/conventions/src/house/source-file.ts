import { type ParseResult, type Program, parseSync, Visitor } from 'oxc-parser'

/** One TypeScript file with its imports and exports, read without the compiler. */
export interface SourceFile {
  /** Relative to the root, with `/`. */
  readonly path: string
  readonly text: string
  /** Parsed once, for all checks. */
  readonly parsed: ParseResult
  readonly imports: readonly ImportedModule[]
  readonly exports: readonly ExportedName[]
  /** It has statements other than `export { … } from`. */
  readonly hasOwnStatements: boolean
  /** Whether it declares `process` with `env`, which the linter takes for a variable of the file. */
  readonly declaresEnvironment: boolean
}

/** A module that a file needs, for its values or its types alike. */
export interface ImportedModule {
  readonly specifier: string
  /** `url`: `new URL('./worker.ts', import.meta.url)`, which starts a file without importing it. */
  readonly how: 'import' | 'export' | 'url'
  /** The line on which the specifier stands. */
  readonly line: number
}

export interface ExportedName {
  /** `*` and `default` as they stand. */
  readonly name: string
  readonly kind: 'value' | 'type'
  /** The module that it is exported from, if this file only passes it on. */
  readonly from: string | null
}

/**
 * Returns a file, which is parsed on first use of its syntax: most checks read only some files, or only texts.
 *
 * @throws SyntaxError on first use, if it is not TypeScript.
 */
export function readSource(path: string, text: string): SourceFile {
  const parsed = once(() => {
    const result = parseSync(path, text, { preserveParens: false })
    const [error] = result.errors
    if (error) throw new SyntaxError(`${path}: ${error.message}`)
    return result
  })
  const imports = once(() => importsOf(parsed(), text))
  const exports = once(() => exportsOf(parsed().program))
  return {
    path,
    text,
    get parsed() {
      return parsed()
    },
    get imports() {
      return imports()
    },
    get exports() {
      return exports()
    },
    get hasOwnStatements() {
      return parsed().program.body.some(
        (node) => node.type !== 'ExportAllDeclaration' && !(node.type === 'ExportNamedDeclaration' && node.source),
      )
    },
    get declaresEnvironment() {
      return environmentAtStart.test(text) && parsed().program.body.some((node) => isEnvironment(node, text))
    },
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const environmentAtStart = /^declare const process\b/m

function isEnvironment(node: Program['body'][number], text: string): boolean {
  if (node.type !== 'VariableDeclaration' || !node.declare) return false
  return /^declare const process\b[\s\S]*\benv\b/.test(text.slice(node.start, node.end))
}

/** `import('…')`, as a value or a type, `new URL('…', import.meta.url)`, and an export without names. */
const importWithin = /\bimport\s*\(|\bimport\.meta\b|\bexport\s*(type\s*)?\{\s*\}/

/** A file with imports at its beginning alone needs no tree, which takes many times as long to build. */
function importsOf(parsed: ParseResult, text: string): ImportedModule[] {
  const { staticImports, staticExports } = parsed.module
  const passesOn = staticExports.some(({ entries }) => entries.some(({ moduleRequest }) => moduleRequest))
  if (passesOn || importWithin.test(text)) return importsWithin(parsed.program, text)
  return staticImports.map(({ moduleRequest: { value, start } }) => ({
    specifier: value,
    how: 'import',
    line: lineAt(text, start),
  }))
}

function importsWithin(program: Program, text: string): ImportedModule[] {
  const found: ImportedModule[] = []
  const add = (
    how: ImportedModule['how'],
    node: { readonly type: string; readonly value?: unknown; readonly start: number } | null,
  ) => {
    if (node?.type !== 'Literal' || typeof node.value !== 'string') return
    found.push({ specifier: node.value, how, line: lineAt(text, node.start) })
  }
  new Visitor({
    ImportDeclaration: (node) => add('import', node.source),
    ImportExpression: (node) => add('import', node.source),
    TSImportType: (node) => add('import', node.source),
    ExportAllDeclaration: (node) => add('export', node.source),
    ExportNamedDeclaration: (node) => add('export', node.source),
    NewExpression(node) {
      const [file, base] = node.arguments
      const isUrl = node.callee.type === 'Identifier' && node.callee.name === 'URL'
      if (isUrl && file && base?.type === 'MemberExpression' && base.object.type === 'MetaProperty') add('url', file)
    },
  }).visit(program)
  return found
}

function exportsOf(program: Program): ExportedName[] {
  return program.body.flatMap((node): ExportedName[] => {
    if (node.type === 'ExportDefaultDeclaration') return [{ name: 'default', kind: 'value', from: null }]
    if (node.type === 'ExportAllDeclaration') {
      return [{ name: nameOf(node.exported) ?? '*', kind: node.exportKind ?? 'value', from: node.source.value }]
    }
    if (node.type !== 'ExportNamedDeclaration') return []
    const listed = node.specifiers.map((specifier): ExportedName => {
      const isType = node.exportKind === 'type' || specifier.exportKind === 'type'
      return {
        name: nameOf(specifier.exported) ?? '',
        kind: isType ? 'type' : 'value',
        from: node.source?.value ?? null,
      }
    })
    return [...listed, ...declaredNames(node.declaration)]
  })
}

type Declaration = Extract<Program['body'][number], { type: 'ExportNamedDeclaration' }>['declaration']

function declaredNames(declaration: Declaration): ExportedName[] {
  if (!declaration) return []
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.map(({ id }) => ({ name: nameOf(id) ?? '', kind: 'value', from: null }))
  }
  const isType = declaration.type === 'TSInterfaceDeclaration' || declaration.type === 'TSTypeAliasDeclaration'
  const name = 'id' in declaration && declaration.id ? nameOf(declaration.id) : null
  return name === null ? [] : [{ name, kind: isType ? 'type' : 'value', from: null }]
}

/** The line, counted from 1, on which this position stands. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

function nameOf(node: { readonly type: string } | null): string | null {
  if (node?.type === 'Identifier' && 'name' in node && typeof node.name === 'string') return node.name
  if (node?.type === 'Literal' && 'value' in node && typeof node.value === 'string') return node.value
  return null
}
