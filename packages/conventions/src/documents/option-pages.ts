import { type Comment, parseSync, type TSSignature, type TSType } from 'oxc-parser'
import { commentBefore, type Declaration, publicEntries } from '../house/declarations.ts'
import type { House, Package } from '../house/house.ts'
import { inlinedSignature } from '../house/inlined.ts'

/** An option as a row of a table: `sessions.refresh.tokenSeconds`. */
interface OptionRow {
  readonly path: readonly string[]
  readonly isOptional: boolean
  /** Whether the options of this option follow. */
  readonly isGroup: boolean
  /** Its type; of a group, what it can be instead, such as `'closed'`, or an empty text. */
  readonly type: string
  readonly text: string
  readonly byDefault: string
}

/** The options of a function: its direct options, and its long groups. */
interface Options {
  /** The function, or the type if no function takes it. */
  readonly taker: string
  readonly text: string
  readonly direct: readonly OptionRow[]
  readonly groups: readonly { readonly name: string; readonly rows: readonly OptionRow[] }[]
}

/**
 * Returns the options of all factories as Markdown pages: file name → text, from the names, defaults and comments of
 * their types. A function with many groups has a page for each group.
 */
export function optionPages(house: House): ReadonlyMap<string, string> {
  return new Map(house.packages.flatMap(pagesOf))
}

const groupsOfOnePage = 8

function pagesOf(one: Package): [string, string][] {
  const all = optionsOf(one)
  const short = all.filter(({ groups }) => groups.length <= groupsOfOnePage)
  const long = all.filter(({ groups }) => groups.length > groupsOfOnePage)
  const file = one.name.replace('@latchkey/', '')
  const page = (name: string, ...parts: readonly string[]): [string, string] => [
    `${name}.md`,
    `${parts.join('\n\n')}\n`,
  ]
  return [
    ...(short.length === 0 ? [] : [page(file, `# Options of \`${one.name}\``, ...short.flatMap(section))]),
    ...long.flatMap(({ taker, text, direct, groups }) => [
      page(kebab(taker), `# Options of \`${taker}\``, text, table(direct)),
      ...groups.map(({ name, rows }) =>
        page(
          `${kebab(taker)}-${kebab(name)}`,
          `# \`${name}\` of \`${taker}\``,
          direct.find(({ path }) => path[0] === name)?.text ?? '',
          table(rows),
        ),
      ),
    ]),
  ]
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function optionsOf(one: Package): readonly Options[] {
  const declarations = publicEntries(one).flatMap((entry) => entry.declarations)
  const types = declarations.filter(({ name, kind }) => kind === 'type' && name.endsWith('Options'))
  return [...new Set(types)].flatMap((type) => {
    const rows = rowsOf(one, type)
    return rows.length === 0 ? [] : [grouped(type, takenBy(type, declarations), rows)]
  })
}

/** The function that takes the options: `createSessions` for `SessionsOptions`, or else the first that mentions them. */
function takenBy({ name }: Declaration, declarations: readonly Declaration[]): string {
  const functions = declarations.filter(({ kind }) => kind === 'function')
  const factory = functions.find((one) => one.name === `create${name.replace(/Options$/, '')}`)
  const mentions = new RegExp(`\\b${name}\\b`)
  return (factory ?? functions.find(({ signature }) => mentions.test(signature)))?.name ?? name
}

function grouped({ doc }: Declaration, taker: string, rows: readonly OptionRow[]): Options {
  const direct = rows.filter(({ path }) => path.length === 1)
  const groups = direct
    .filter(({ isGroup }) => isGroup)
    .map(({ path: [name = ''] }) => ({
      name,
      rows: rows.filter(({ path, type }) => path[0] === name && (path.length > 1 || type !== '')),
    }))
  return { taker, text: doc?.text ?? '', direct, groups }
}

function section({ taker, text, direct, groups }: Options): string[] {
  return [
    `## \`${taker}\``,
    text,
    table(direct),
    ...groups.flatMap(({ name, rows }) => [`### \`${name}\` of \`${taker}\``, table(rows)]),
  ].filter((part) => part !== '')
}

function table(rows: readonly OptionRow[]): string {
  return `| Option | Type | Default | Meaning |\n| --- | --- | --- | --- |\n${rows.map(line).join('\n')}`
}

function line({ path, isOptional, isGroup, type, text, byDefault }: OptionRow): string {
  const shown = [...(isGroup ? ['a group'] : []), ...(type === '' ? [] : [`\`${type}\``])]
  return `| \`${path.join('.')}\` | ${inCell(shown.join(', or '))} | ${isOptional ? inCell(byDefault) : 'required'} | ${inCell(text)} |`
}

function inCell(text: string): string {
  return text.replace(/\s*\n\s*(?:- )?/g, ' ').replace(/(?<!\\)\|/g, '\\|')
}

function rowsOf(one: Package, declaration: Declaration): OptionRow[] {
  const text = `export ${inlinedSignature(one, declaration)}`
  const { program, comments } = parseSync('options.ts', text)
  const [statement] = program.body
  const exported = statement?.type === 'ExportNamedDeclaration' ? statement.declaration : null
  const source = { text, comments }
  if (exported?.type === 'TSInterfaceDeclaration') return membersOf(exported.body.body, source, [])
  return exported?.type === 'TSTypeAliasDeclaration'
    ? literalsIn(exported.typeAnnotation).flatMap((members) => membersOf(members, source, []))
    : []
}

interface Source {
  readonly text: string
  readonly comments: readonly Comment[]
}

function membersOf(members: readonly TSSignature[], source: Source, above: readonly string[]): OptionRow[] {
  return members.flatMap((member) => rowsOfMember(member, source, above))
}

function rowsOfMember(member: TSSignature, source: Source, above: readonly string[]): OptionRow[] {
  const isNamed = member.type === 'TSPropertySignature' || member.type === 'TSMethodSignature'
  if (!isNamed || member.key.type !== 'Identifier') return []
  const type = member.type === 'TSPropertySignature' ? (member.typeAnnotation?.typeAnnotation ?? null) : null
  // What only says that an option does not go with another one.
  if (type?.type === 'TSNeverKeyword') return []
  const doc = commentBefore(member, source.text, source.comments)
  const path = [...above, member.key.name]
  const inner = type === null ? [] : literalsIn(type).flatMap((members) => membersOf(members, source, path))
  const row: OptionRow = {
    path,
    isOptional: member.optional,
    isGroup: inner.length > 0,
    type:
      inner.length > 0
        ? othersIn(type)
            .map((other) => withoutComments(other, source))
            .join(' | ')
        : shortened(type, withoutComments(type ?? member, source)),
    text: doc?.text.replace(/\s*@default .*/, '') ?? '',
    byDefault:
      doc?.tags.find(({ name }) => name === 'default')?.text ?? /@default (.*)/.exec(doc?.text ?? '')?.[1] ?? '',
  }
  return [row, ...inner]
}

/** Shortens a type for a table: of a long function only its parameters and its result. */
function shortened(type: TSType | null, text: string): string {
  if (text.length <= 100) return text
  if (type?.type !== 'TSFunctionType') return `${text.slice(0, 99)}…`
  const names = type.params.map((param) => ('name' in param ? param.name : '…'))
  const returned = text.slice(text.lastIndexOf('=>') + 2).trim()
  return `(${names.join(', ')}) => ${returned.length <= 60 ? returned : '…'}`
}

/** The members of the object types that a type is made of, itself or as a part of a union or an intersection. */
function literalsIn(type: TSType): readonly (readonly TSSignature[])[] {
  if (type.type === 'TSTypeLiteral') return [type.members]
  if (type.type === 'TSParenthesizedType') return literalsIn(type.typeAnnotation)
  return type.type === 'TSUnionType' || type.type === 'TSIntersectionType' ? type.types.flatMap(literalsIn) : []
}

/** The members of a union that are no groups. */
function othersIn(type: TSType | null): readonly TSType[] {
  return type?.type === 'TSUnionType' ? type.types.filter((one) => literalsIn(one).length === 0) : []
}

function withoutComments(
  { start, end }: { readonly start: number; readonly end: number },
  { text, comments }: Source,
): string {
  const inside = comments.filter((one) => one.start >= start && one.end <= end).reverse()
  const bare = inside.reduce(
    (rest, one) => rest.slice(0, one.start - start) + rest.slice(one.end - start),
    text.slice(start, end),
  )
  return bare.replace(/\s+/g, ' ').trim()
}
