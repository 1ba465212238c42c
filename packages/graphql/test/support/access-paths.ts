import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'

/** A way from a root of the schema to a value of a composite type, written as text around a selection. */
interface Way {
  readonly operation: 'query' | 'mutation'
  readonly open: string
  readonly close: string
  /** The type that a selection is written on. */
  readonly type: GraphQLNamedType
  /** The object types that a value found here can have: fewer than the type allows where objects promise less. */
  readonly objects: readonly GraphQLObjectType[]
  /** The fields that lead here, by the types that they are asked of: every possible one. */
  readonly through: readonly string[]
}

/** A document that selects one field of one object type, and every coordinate that executing it may reach. */
export interface WrittenPath {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly reaches: readonly string[]
}

/** Everything that leads to a value, through so many fields. */
export function waysInto(schema: GraphQLSchema, fieldsAtMost: number): readonly Way[] {
  const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((type, index) =>
    type
      ? [
          {
            operation: index === 0 ? 'query' : 'mutation',
            open: '{',
            close: '}',
            type,
            objects: [type],
            through: [],
          } as const,
        ]
      : [],
  )
  const ways: Way[] = [...roots]
  for (const way of ways) {
    if (way.through.length >= fieldsAtMost) continue
    for (const field of fieldsOf(way.type)) {
      const returned = getNamedType(field.type)
      if (!isCompositeType(returned)) continue
      ways.push({
        ...way,
        open: `${way.open} ${call(field)} {`,
        close: `} ${way.close}`,
        type: returned,
        objects: [...new Set(way.objects.flatMap((object) => returnedBy(schema, object, field.name)))],
        through: [...way.through, ...coordinatesOf(way, field.name)],
      })
    }
  }
  return ways
}

/** Every way of writing a selection of that field. What is written as excluded reaches no more than the way to it. */
export function pathsTo(schema: GraphQLSchema, ways: readonly Way[], coordinate: string): readonly WrittenPath[] {
  const [typeName = '', fieldName = ''] = coordinate.split('.')
  const object = schema.getType(typeName)
  if (!isObjectType(object)) throw new Error(`no object type ${typeName}`)
  const field = object.getFields()[fieldName]
  if (!field) throw new Error(`no field ${coordinate}`)
  const selection = `${call(field)}${isCompositeType(getNamedType(field.type)) ? ' { __typename }' : ''}`
  return ways.flatMap((way) => {
    if (!possible(schema, way.type).includes(object)) return []
    const write = (inner: string, fragments = '', head = ''): string =>
      `${way.operation}${head} ${way.open} __typename ${inner} ${way.close} ${fragments}`
    const reached = way.objects.includes(object) ? [...way.through, coordinate] : way.through
    const onObject = formsOn(object.name, way.type.name, selection).map(
      ({ inner, fragments, isLeftOut, head, variables }) => ({
        query: write(inner, fragments, head),
        variables: variables ?? {},
        reaches: isLeftOut ? way.through : reached,
      }),
    )
    const promised = isInterfaceType(way.type) && way.type.getFields()[fieldName]
    if (!promised) return onObject
    const reaches = [...way.through, ...coordinatesOf(way, fieldName)]
    return [...onObject, { query: write(`a: ${selection}`), variables: {}, reaches }]
  })
}

interface Form {
  readonly inner: string
  readonly fragments?: string
  readonly head?: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly isLeftOut?: boolean
}

/** A selection for values of one object type, where the static type may be a wider one. */
function formsOn(object: string, around: string, selection: string): readonly Form[] {
  const on = (inner: string, condition = ''): string => `... on ${object} ${condition} { __typename ${inner} }`
  const fragment = `fragment F on ${object} { __typename ${selection} }`
  const nested = `fragment G on ${around} { ...H } fragment H on ${around} { ...F } ${fragment}`
  const forms: Form[] = [
    { inner: on(selection) },
    { inner: on(`alias: ${selection}`) },
    { inner: `... { ... { ${on(selection)} } }` },
    { inner: `... on ${around} { ${on(selection)} }` },
    { inner: '...F', fragments: fragment },
    { inner: '...G', fragments: nested },
    { inner: '...F ...F ... { ...F }', fragments: fragment },
    { inner: `${on(selection)} ${on(selection, '@skip(if: true)')}` },
  ]
  if (object === around) forms.push({ inner: selection }, { inner: `b: ${selection} c: ${selection}` })
  return [...forms, ...conditionForms(on, selection, fragment)]
}

/** The same, with a condition on the field, on the inline fragment, and on the spread. */
function conditionForms(
  on: (inner: string, condition?: string) => string,
  selection: string,
  fragment: string,
): readonly Form[] {
  const [name, ...below] = selection.split(' {')
  const conditional = (condition: string): string => [`${name} ${condition}`, ...below].join(' {')
  return conditions.flatMap(([condition, isLeftOut, head, variables]) => {
    const more = { isLeftOut, head, variables }
    return [
      { inner: on(conditional(condition)), ...more },
      { inner: on(selection, condition), ...more },
      { inner: `...F ${condition}`, fragments: fragment, ...more },
      {
        inner: `...E ${condition}`,
        fragments: `fragment E on ${/on (\w+)/.exec(fragment)?.[1]} { ...F } ${fragment}`,
        ...more,
      },
    ]
  })
}

const conditions: readonly (readonly [string, boolean, string, Readonly<Record<string, unknown>>])[] = [
  ['@include(if: true)', false, '', {}],
  ['@skip(if: false)', false, '', {}],
  ['@include(if: $v)', false, '($v: Boolean!)', { v: true }],
  ['@include(if: $v)', false, '($v: Boolean = true)', {}],
  ['@skip(if: $v)', false, '($v: Boolean! = true)', { v: false }],
  ['@skip(if: $v)', false, '($v: Boolean = false)', {}],
  ['@skip(if: $v) @include(if: $w)', false, '($v: Boolean!, $w: Boolean = true)', { v: false }],
  ['@include(if: false)', true, '', {}],
  ['@skip(if: true)', true, '', {}],
  ['@include(if: $v)', true, '($v: Boolean!)', { v: false }],
  ['@include(if: $v)', true, '($v: Boolean! = true)', { v: false }],
  ['@include(if: $v)', true, '($v: Boolean = false)', {}],
  ['@skip(if: $v)', true, '($v: Boolean = true)', {}],
  ['@skip(if: $v) @include(if: $w)', true, '($v: Boolean!, $w: Boolean = true)', { v: true }],
  ['@skip(if: $v) @include(if: $w)', true, '($v: Boolean!, $w: Boolean = true)', { v: false, w: false }],
]

function coordinatesOf({ objects }: Way, field: string): readonly string[] {
  return objects.map(({ name }) => `${name}.${field}`)
}

function returnedBy(schema: GraphQLSchema, object: GraphQLObjectType, field: string): readonly GraphQLObjectType[] {
  const type = object.getFields()[field]?.type
  return type ? possible(schema, getNamedType(type)) : []
}

function possible(schema: GraphQLSchema, type: GraphQLNamedType): readonly GraphQLObjectType[] {
  if (isObjectType(type)) return [type]
  return isAbstractType(type) ? schema.getPossibleTypes(type) : []
}

function fieldsOf(type: GraphQLNamedType): readonly GraphQLField<unknown, unknown>[] {
  return isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
}

/** The field with a value for every argument that must have one. */
function call({ name, args }: GraphQLField<unknown, unknown>): string {
  const required = args.filter(isRequiredArgument).map((argument) => `${argument.name}: ${argument.type}`)
  return required.length === 0 ? name : `${name}(${required.map((text) => text.replace(/: .*/, ': "1"')).join(', ')})`
}
