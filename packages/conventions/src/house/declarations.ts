import { posix } from 'node:path'
import { type Class, type Comment, type ExportNamedDeclaration, parseSync } from 'oxc-parser'
import { entriesOf, type Package } from './house.ts'
import type { SourceFile } from './source-file.ts'

/** What a public name stands for: its declaration without the body, and the comment before it. */
export interface Declaration {
  readonly name: string
  readonly kind: 'function' | 'class' | 'constant' | 'type'
  /** The declaration as a declaration file would have it. */
  readonly signature: string
  readonly doc: DocComment | null
  readonly path: string
}

export interface DocComment {
  /** All before the first tag. */
  readonly text: string
  /** In their order: `param`, `returns`, `throws`, `example`, each with what follows it. */
  readonly tags: readonly { readonly name: string; readonly text: string }[]
}

/** A subpath export and what it exports, in the order of the source. */
export interface PublicEntry {
  readonly specifier: string
  readonly declarations: readonly Declaration[]
  /** Names without a declaration of their own in the file that they are exported from. */
  readonly lost: readonly string[]
}

export function publicEntries(one: Package): PublicEntry[] {
  const files = new Map(one.sources.map((file) => [file.path, file]))
  return entriesOf(one).map(({ subpath, source }) => {
    const entry = files.get(source)
    const found = entry?.exports.map(({ name }) => [name, find(name, entry, files)] as const) ?? []
    return {
      specifier: one.name + subpath.slice(1),
      declarations: found.flatMap(([, declaration]) => declaration ?? []),
      lost: found.flatMap(([name, declaration]) => (declaration ? [] : [name])),
    }
  })
}

function find(name: string, file: SourceFile, files: ReadonlyMap<string, SourceFile>): Declaration | null {
  const from = file.exports.find((one) => one.name === name)?.from
  const source = from ? files.get(posix.join(posix.dirname(file.path), from)) : undefined
  if (source) return find(name, source, files)
  return declarationsOf(file).find((one) => one.name === name) ?? null
}

const read = new WeakMap<SourceFile, readonly Declaration[]>()

/** What a file declares and exports at once. */
function declarationsOf(file: SourceFile): readonly Declaration[] {
  const known = read.get(file)
  if (known) return known
  const { program, comments } = parseSync(file.path, file.text)
  const declarations = program.body.flatMap((node) =>
    node.type === 'ExportNamedDeclaration' ? describe(node, file, commentBefore(node, file.text, comments)) : [],
  )
  read.set(file, declarations)
  return declarations
}

function describe(
  { declaration }: ExportNamedDeclaration,
  { path, text }: SourceFile,
  doc: DocComment | null,
): Declaration[] {
  if (!declaration) return []
  const one = (name: string | undefined, kind: Declaration['kind'], signature: string): Declaration[] =>
    name === undefined ? [] : [{ name, kind, signature: signature.trim(), doc, path }]
  const cut = (node: { start: number; end: number }, end: { start: number } | null | undefined) =>
    text.slice(node.start, end?.start ?? node.end)
  switch (declaration.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return one(declaration.id?.name, 'function', cut(declaration, declaration.body).replace(/^async /, ''))
    case 'VariableDeclaration':
      return declaration.declarations.flatMap(({ id, init, start, end }) =>
        id.type === 'Identifier'
          ? one(id.name, 'constant', `${declaration.kind} ${cut({ start, end }, init).replace(/=\s*$/, '')}`)
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

/** The class without bodies, values and what is private. */
function classSignature({ start, body }: Class, text: string): string {
  const members = body.body.flatMap((member) => {
    if (!('key' in member) || member.key.type === 'PrivateIdentifier') return []
    if ('accessibility' in member && member.accessibility === 'private') return []
    const value = 'value' in member ? member.value : null
    const end = value && 'body' in value && value.body ? value.body.start : (value?.start ?? member.end)
    return [
      `  ${text
        .slice(member.start, end)
        .replace(/\s*=\s*$/, '')
        .trim()}`,
    ]
  })
  return `${text.slice(start, body.start)}{\n${members.join('\n')}\n}`
}

function commentBefore(
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
