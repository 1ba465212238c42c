/** A schema as a table of the rules of its fields and types. */
export const objects: Readonly<Record<string, readonly string[]>> = {
  A: ['N', 'M'],
  B: ['N', 'M'],
  C: ['N'],
  Query: [],
}
export const interfaces = ['N', 'M']
/** The object types that a value of a type may have. */
export const possible: Readonly<Record<string, readonly string[]>> = {
  N: ['A', 'B', 'C'],
  M: ['A', 'B'],
  U: ['A', 'C'],
  A: ['A'],
  B: ['B'],
  C: ['C'],
  Query: ['Query'],
}
/** The same on every type, so that any selection can be merged with any other. */
const fieldTypes: Readonly<Record<string, string>> = {
  x: 'String',
  y: 'String',
  a: 'A',
  b: 'B',
  c: 'C',
  n: '[N!]',
  m: '[M!]',
  u: '[U!]',
}
const promisedFields: Readonly<Record<string, readonly string[]>> = { N: ['x', 'a', 'n'], M: ['x', 'y', 'u'], U: [] }

export const fieldsOf = (type: string): readonly string[] => promisedFields[type] ?? Object.keys(fieldTypes)
/** Returns the selections below a field; none below a text. */
export const returnedBy = (field: string): string | undefined => /[A-Z](?=!|$)/.exec(fieldTypes[field] ?? '')?.[0]

const written = (type: string) =>
  `{ ${fieldsOf(type)
    .map((field) => `${field}: ${fieldTypes[field]}`)
    .join(' ')} }`
const implementing = (names: readonly string[]) => (names.length > 0 ? `implements ${names.join(' & ')}` : '')
export const sdl = [
  ...interfaces.map((name) => `interface ${name} ${written(name)}`),
  'union U = A | C',
  ...Object.entries(objects).map(([name, promised]) => `type ${name} ${implementing(promised)} ${written(name)}`),
].join('\n')

interface Drawing {
  /** The next choice: a number below this. */
  readonly pick: (below: number) => number
  readonly fragments: { readonly name: string; readonly type: string; readonly body: string }[]
  readonly variables: Set<string>
  aliases: number
}

/** A random valid document for that schema, drawn choice by choice: fragments, aliases, conditions, defaults. */
export function drawDocument(pick: (below: number) => number): string {
  const drawing: Drawing = { pick, fragments: [], variables: new Set(), aliases: 0 }
  const root = drawSelections(drawing, 'Query', 5)
  const declared = [...drawing.variables].map((name) => `$${name}: ${variableTypes[name]}`)
  const head = declared.length > 0 ? `query(${declared.join(', ')}) ` : ''
  const fragments = drawing.fragments.map(({ name, type, body }) => `fragment ${name} on ${type} ${body}`)
  return [`${head}${root}`, ...fragments].join('\n')
}

const variableTypes: Readonly<Record<string, string>> = {
  v0: 'Boolean!',
  v1: 'Boolean = true',
  v2: 'Boolean!',
  v3: 'Boolean! = false',
}

function drawSelections(drawing: Drawing, type: string, depth: number): string {
  const selections = Array.from({ length: 1 + drawing.pick(3) }, () => drawSelection(drawing, type, depth))
  return `{ ${selections.join(' ')} }`
}

function drawSelection(drawing: Drawing, type: string, depth: number): string {
  const kind = drawing.pick(10)
  if (depth > 0 && kind === 1) return `...${drawCondition(drawing)} ${drawSelections(drawing, type, depth - 1)}`
  if (depth > 0 && (kind === 2 || kind === 3)) return drawInline(drawing, type, depth)
  if (depth > 0 && (kind === 4 || kind === 5)) return drawSpread(drawing, type, depth)
  return kind === 0 ? '__typename' : drawField(drawing, type, depth)
}

function drawField(drawing: Drawing, type: string, depth: number): string {
  const names = fieldsOf(type)
  const name = names[drawing.pick(Math.max(1, names.length))]
  const below = name === undefined ? undefined : returnedBy(name)
  if (name === undefined || (below && depth === 0)) return '__typename'
  const alias = drawing.pick(4) === 0 ? `z${drawing.aliases++}: ` : ''
  const field = `${alias}${name}${drawCondition(drawing)}`
  return below ? `${field} ${drawSelections(drawing, below, depth - 1)}` : field
}

function drawInline(drawing: Drawing, type: string, depth: number): string {
  const on = drawOverlapping(drawing, type)
  return `... on ${on}${drawCondition(drawing)} ${drawSelections(drawing, on, depth - 1)}`
}

function drawSpread(drawing: Drawing, type: string, depth: number): string {
  const known = drawing.fragments.filter((fragment) => overlap(type, fragment.type))
  const again = known.length > 0 && drawing.pick(2) === 0 ? known[drawing.pick(known.length)] : undefined
  if (again) return `...${again.name}${drawCondition(drawing)}`
  const on = drawOverlapping(drawing, type)
  const body = drawSelections(drawing, on, depth - 1)
  const name = `F${drawing.fragments.length}`
  drawing.fragments.push({ name, type: on, body })
  return `...${name}${drawCondition(drawing)}`
}

function drawCondition({ pick, variables }: Drawing): string {
  const [kind, number, value] = [pick(8), pick(4), pick(2) === 1]
  if (kind > 2) return ''
  const directive = pick(2) === 0 ? 'skip' : 'include'
  if (kind === 0) return ` @${directive}(if: ${value})`
  variables.add(`v${number}`)
  return ` @${directive}(if: $v${number})`
}

function drawOverlapping({ pick }: Drawing, type: string): string {
  const names = Object.keys(possible).filter((name) => overlap(type, name))
  return names[pick(names.length)] ?? type
}

function overlap(one: string, other: string): boolean {
  return (possible[one] ?? []).some((name) => possible[other]?.includes(name))
}
