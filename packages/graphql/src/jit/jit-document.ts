import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  Kind,
  parse,
  visit,
} from 'graphql'

/** The variables that `@skip` and `@include` ask for, with a value each. */
export type Conditions = ReadonlyMap<string, boolean>

/** Gives the variables that decide what of a document is executed. */
export function conditionsOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>()
  visit(document, {
    Directive(node) {
      const value = conditionOf(node)
      if (value?.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return [...names]
}

/**
 * Gives a copy of a document without what these conditions leave out, and without variables: nothing in it is left to
 * be decided. `null` where its text was not kept.
 */
export function specialise({ loc }: DocumentNode, conditions: Conditions): DocumentNode | null {
  if (!loc) return null
  const decide = (node: FieldNode | FragmentSpreadNode | InlineFragmentNode) => {
    const { directives = [] } = node
    if (directives.length === 0) return undefined
    return directives.every((directive) => isMet(directive, conditions)) ? { ...node, directives: [] } : null
  }
  return visit(parse(loc.source), {
    OperationDefinition: (node) => ({ ...node, variableDefinitions: [] }),
    Field: decide,
    FragmentSpread: decide,
    InlineFragment: decide,
  })
}

function isMet(directive: DirectiveNode, conditions: Conditions): boolean {
  const condition = conditionOf(directive)
  if (!condition) return true
  const value =
    condition.kind === Kind.VARIABLE
      ? conditions.get(condition.name.value)
      : condition.kind === Kind.BOOLEAN && condition.value
  return value === (directive.name.value === 'include')
}

function conditionOf({ name, arguments: given = [] }: DirectiveNode) {
  if (name.value !== 'skip' && name.value !== 'include') return undefined
  return given.find((argument) => argument.name.value === 'if')?.value
}
