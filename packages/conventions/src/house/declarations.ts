import { posix } from 'node:path'
import type { Class, Comment, Program } from 'oxc-parser'
import { entriesOf, type Package } from './house.ts'
import type { SourceFile } from './source-file.ts'

/** The declaration of a public name without its body, and the comment before it. */
export interface Declaration {
  readonly name: string
  readonly kind: 'function' | 'class' | 'constant' | 'type'
  /** The declaration as a declaration file would have it. */
  readonly signature: string
  readonly doc: DocComment | null
  readonly path: string
  readonly isExported: boolean
}

export interface DocComment {
  /** All before the first tag. */
  readonly text: string
  /** In their order: `param`, `returns`, `throws`, `example`, each with its text. */
  readonly tags: readonly { readonly name: string; readonly text: string }[]
}

/** A subpath export and its exports, in the order of the source. */
export interface PublicEntry {
  readonly specifier: string
  readonly declarations: readonly Declaration[]
  /** Functions, classes and constants of which only the type is exported. */
  readonly typesOnly: ReadonlySet<Declaration>
  /** Names without a declaration of their own in the file that they are exported from. */
  readonly lost: readonly string[]
}

/** Whether a subpath is for sibling packages: no user imports it, so it has no reference and no examples. */
const isInternal = ({ subpath }: { readonly subpath: string }): boolean => /^\.\/internal(\/|$)/.test(subpath)

/** Returns the names that a package exports for its siblings, sorted. */
export function internalNames(one: Package): readonly string[] {
  const sources = entriesOf(one).flatMap((entry) => (isInternal(entry) ? [entry.source] : []))
  const files = one.sources.filter(({ path }) => sources.includes(path))
  return files.flatMap((file) => file.exports.map(({ name }) => name)).sort()
}

export function publicEntries(one: Package): PublicEntry[] {
  const files = new Map(one.sources.map((file) => [file.path, file]))
  const entries = entriesOf(one).filter((entry) => !isInternal(entry))
  return entries.map(({ subpath, source }) => {
    const entry = files.get(source)
    const found = entry?.exports.map(({ name, kind }) => ({ name, kind, declaration: find(name, entry, files) })) ?? []
    return {
      specifier: one.name + subpath.slice(1),
      declarations: found.flatMap(({ declaration }) => declaration ?? []),
      typesOnly: new Set(
        found.flatMap(({ kind, declaration }) =>
          kind === 'type' && declaration && declaration.kind !== 'type' ? [declaration] : [],
        ),
      ),
      lost: found.flatMap(({ name, declaration }) => (declaration ? [] : [name])),
    }
  })
}

function find(name: string, file: SourceFile, files: ReadonlyMap<string, SourceFile>): Declaration | null {
  const from = file.exports.find((one) => one.name === name)?.from
  const source = from ? files.get(posix.join(posix.dirname(file.path), from)) : undefined
  if (source) return find(name, source, files)
  return namesOf(file).declared.find((one) => one.name === name && one.isExported) ?? null
}

/**
 * Returns the declaration of a name in a file of the package: its own, exported or not, or an imported declaration;
 * `null` for a name of another package, of the language, or of a parameter.
 */
export function declarationIn(one: Package, path: string, name: string): Declaration | null {
  const file = one.sources.find((other) => other.path === path)
  if (!file) return null
  const { declared, imported } = namesOf(file)
  const own = declared.find((other) => other.name === name)
  const from = imported.get(name)
  if (own || !from?.module.startsWith('.')) return own ?? null
  return declarationIn(one, posix.join(posix.dirname(path), from.module), from.name)
}

interface Names {
  readonly declared: readonly Declaration[]
  /** Local name → the module that it is imported from, and its name there. */
  readonly imported: ReadonlyMap<string, { readonly module: string; readonly name: string }>
}

const read = new WeakMap<SourceFile, Names>()

function namesOf(file: SourceFile): Names {
  const known = read.get(file)
  if (known) return known
  const { program, comments } = file.parsed
  const declared = program.body.flatMap((node) => {
    const isExported = node.type === 'ExportNamedDeclaration'
    const declaration = isExported ? node.declaration : node
    return describe(declaration, file, commentBefore(node, file.text, comments), isExported)
  })
  const names = { declared, imported: importedNames(program) }
  read.set(file, names)
  return names
}

function importedNames({ body }: Program): Names['imported'] {
  const names = body.flatMap((node) =>
    node.type === 'ImportDeclaration'
      ? node.specifiers.map((specifier) => ({ specifier, module: node.source.value }))
      : [],
  )
  return new Map(
    names.map(({ specifier, module }) => {
      const imported = specifier.type === 'ImportSpecifier' ? specifier.imported : specifier.local
      return [specifier.local.name, { module, name: 'name' in imported ? imported.name : imported.value }]
    }),
  )
}

function describe(
  declaration: Program['body'][number] | null,
  { path, text }: SourceFile,
  doc: DocComment | null,
  isExported: boolean,
): Declaration[] {
  if (!declaration) return []
  const one = (name: string | undefined, kind: Declaration['kind'], signature: string): Declaration[] =>
    name === undefined ? [] : [{ name, kind, signature: signature.trim(), doc, path, isExported }]
  const cut = (node: { start: number; end: number }, end: { start: number } | null | undefined) =>
    text.slice(node.start, end?.start ?? node.end)
  switch (declaration.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return one(declaration.id?.name, 'function', cut(declaration, declaration.body).replace(/^async /, ''))
    case 'VariableDeclaration':
      return declaration.declarations.flatMap(({ id, start, end }) =>
        id.type === 'Identifier'
          ? one(id.name, 'constant', `${declaration.kind} ${text.slice(start, id.typeAnnotation ? id.end : end)}`)
          : [],
      )
    case 'ClassDeclaration':
      return one(declaration.id?.name, 'class', classSignature(declaration, text))
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return one(declaration.id.name, 'type', cut(declaration, null))
    default:
      return []
  }
}

/** Returns the class without bodies and private members, and without values of typed members. */
function classSignature({ start, body }: Class, text: string): string {
  const members = body.body.flatMap((member) => {
    if (!('key' in member) || member.key.type === 'PrivateIdentifier') return []
    if ('accessibility' in member && member.accessibility === 'private') return []
    const value = 'value' in member ? member.value : null
    const body = value && 'body' in value ? value.body : null
    const type = 'typeAnnotation' in member ? member.typeAnnotation : null
    const end = body?.start ?? type?.end ?? member.end
    return [`  ${text.slice(member.start, end).trim()}`]
  })
  return `${text.slice(start, body.start)}{\n${members.join('\n')}\n}`
}

/** Returns the doc comment directly before a node; `null` without a comment. */
export function commentBefore(
  { start }: { readonly start: number },
  text: string,
  comments: readonly Comment[],
): DocComment | null {
  const comment = comments.findLast((one) => one.end <= start)
  const isDoc =
    comment?.type === 'Block' && comment.value.startsWith('*') && text.slice(comment.end, start).trim() === ''
  return comment && isDoc ? parseComment(comment.value.slice(1)) : null
}

function parseComment(comment: string): DocComment {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, ''))
  const [text = '', ...tags] = lines.join('\n').split(/^@/m)
  return {
    text: text.trim(),
    tags: tags.map((tag) => {
      const [name = ''] = /^\w+/.exec(tag) ?? []
      return { name, text: tag.slice(name.length).trim() }
    }),
  }
}
