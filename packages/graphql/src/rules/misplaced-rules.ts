import {
  type ASTNode,
  type DirectiveNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql'
import { type RuleDirectives, strangeDirective } from './rule-directives.ts'

/** An element of a schema that may carry directives or extensions. */
export interface Annotated {
  readonly astNode?: (ASTNode & { readonly directives?: readonly DirectiveNode[] | undefined }) | null | undefined
  readonly extensionASTNodes?: readonly { readonly directives?: readonly DirectiveNode[] | undefined }[]
  readonly extensions?: Readonly<Record<string | symbol, unknown>>
}

interface Place {
  readonly coordinate: string
  readonly element: Annotated
  /** Whether rules are enforced at this place. */
  readonly takesRules: boolean
}

export function directivesOf({ astNode, extensionASTNodes = [] }: Annotated): readonly DirectiveNode[] {
  return [astNode, ...extensionASTNodes].flatMap((node) => node?.directives ?? [])
}

/**
 * Returns problems of rules that would not be enforced: a rule on an argument, an input field, an enum, a union or a
 * scalar, and a directive that is misspelt, renamed or not defined.
 */
export function findMisplacedRules(directives: RuleDirectives, schema: GraphQLSchema): string[] {
  return [...places(schema)].flatMap(({ coordinate, element, takesRules }) => {
    const names = [...new Set(directivesOf(element).map((node) => node.name.value))]
    const strange = names
      .map((name) => strangeDirective(directives, schema, name))
      .filter((problem) => problem !== null)
    const misplaced = takesRules ? [] : names.filter((name) => directives.known.has(name)).map((name) => `@${name}`)
    const inExtensions = !takesRules && element.extensions?.auth !== undefined ? ['extensions.auth'] : []
    const unenforceable = [...misplaced, ...inExtensions].map((what) => `${what} cannot be enforced here`)
    return [...strange, ...unenforceable].map((problem) => `${coordinate}: ${problem}`)
  })
}

function* places(schema: GraphQLSchema): Generator<Place> {
  yield { coordinate: 'schema', element: schema, takesRules: false }
  for (const type of Object.values(schema.getTypeMap())) if (!isIntrospectionType(type)) yield* placesOfType(type)
  for (const directive of schema.getDirectives()) {
    yield { coordinate: `@${directive.name}`, element: directive, takesRules: false }
    for (const argument of directive.args) {
      yield { coordinate: `@${directive.name}(${argument.name}:)`, element: argument, takesRules: false }
    }
  }
}

function* placesOfType(type: GraphQLNamedType): Generator<Place> {
  const coordinate = type.name
  const isOutput = isObjectType(type) || isInterfaceType(type)
  yield { coordinate, element: type, takesRules: isOutput }
  if (isOutput) {
    for (const field of Object.values(type.getFields())) {
      yield { coordinate: `${coordinate}.${field.name}`, element: field, takesRules: true }
      for (const argument of field.args) {
        yield { coordinate: `${coordinate}.${field.name}(${argument.name}:)`, element: argument, takesRules: false }
      }
    }
  }
  const members = isEnumType(type) ? type.getValues() : isInputObjectType(type) ? Object.values(type.getFields()) : []
  for (const member of members) {
    yield { coordinate: `${coordinate}.${member.name}`, element: member, takesRules: false }
  }
}
