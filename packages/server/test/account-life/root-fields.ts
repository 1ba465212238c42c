import { okData } from '../support/factor-bench.ts'
import type { Visitor } from '../support/visitor.ts'

/** An operation that asks for one field of a root. */
export interface RootField {
  readonly kind: 'Query' | 'Mutation'
  readonly name: string
  readonly text: string
  readonly variables: object
}

interface TypeReference {
  readonly kind: string
  readonly name: string | null
  readonly ofType: TypeReference | null
}

interface Described {
  readonly name: string
  readonly enumValues: readonly { readonly name: string }[] | null
  readonly fields: readonly Argued[] | null
  readonly inputFields: readonly Argument[] | null
}

interface Argument {
  readonly name: string
  readonly type: TypeReference
}

interface Argued extends Argument {
  readonly args: readonly Argument[]
}

/** An operation for every field of the roots, by itself, with a value for each argument that must have one. */
export async function everyRootField(visitor: Visitor): Promise<readonly RootField[]> {
  const type = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }'
  const { __schema } = okData(
    await visitor.ask(`{ __schema { types { name enumValues { name } fields { name args { name type { ${type} } } type { ${type} } }
      inputFields { name type { ${type} } } } } }`),
  )
  const types = new Map<string, Described>(__schema.types.map((one: Described) => [one.name, one]))
  const nameOf = ({ name, ofType }: TypeReference): string => name ?? (ofType ? nameOf(ofType) : '')
  const written = ({ kind, name, ofType }: TypeReference): string =>
    kind === 'NON_NULL' && ofType
      ? `${written(ofType)}!`
      : kind === 'LIST' && ofType
        ? `[${written(ofType)}]`
        : (name ?? '')
  const exampleOf = (reference: TypeReference): unknown => {
    const found = types.get(nameOf(reference))
    if (found?.inputFields)
      return Object.fromEntries(found.inputFields.map((field) => [field.name, exampleOf(field.type)]))
    if (found?.enumValues) return found.enumValues[0]?.name
    return { Int: 1, Boolean: true }[nameOf(reference)] ?? 'x'
  }
  const rootFields = (kind: RootField['kind']): readonly RootField[] =>
    (types.get(kind)?.fields ?? []).map(({ name, args, type: returned }) => {
      const declared = args.map((argument) => `$${argument.name}: ${written(argument.type)}`).join(', ')
      const passed = args.map((argument) => `${argument.name}: $${argument.name}`).join(', ')
      const selection = types.get(nameOf(returned))?.fields ? ' { __typename }' : ''
      const text = `${kind.toLowerCase()}${declared && ` (${declared})`} { ${name}${passed && `(${passed})`}${selection} }`
      return { kind, name, text, variables: Object.fromEntries(args.map((one) => [one.name, exampleOf(one.type)])) }
    })
  // What ends the sign-in is tried last.
  const isEnding = ({ name }: RootField): boolean => name === 'signOut' || name === 'endImpersonation'
  const all = [...rootFields('Query'), ...rootFields('Mutation')]
  return [...all.filter((field) => !isEnding(field)), ...all.filter(isEnding)]
}
