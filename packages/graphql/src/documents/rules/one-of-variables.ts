import {
  type ASTVisitor,
  type DefinitionNode,
  GraphQLError,
  type GraphQLInputObjectType,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type ValidationContext,
  type VariableNode,
} from 'graphql'

interface Usage {
  readonly variable: VariableNode
  readonly type: GraphQLInputObjectType
}

/**
 * Refuses a nullable variable as the member of a `@oneOf` input (GraphQL September 2025, §5.8.5). Remove this rule once
 * `VariablesInAllowedPositionRule` does so also if the input is non-null or the item of a list: in `graphql` 16.15 and 17.1 it
 * looks only at a nullable one.
 */
export function OneOfVariablesRule(context: ValidationContext): ASTVisitor {
  const usages = new Map<DefinitionNode, Usage[]>()
  let within: Usage[] = []
  const enter = (definition: DefinitionNode): void => {
    within = []
    usages.set(definition, within)
  }
  return {
    OperationDefinition: enter,
    FragmentDefinition: enter,
    ObjectField({ value }) {
      const type = getNamedType(context.getParentInputType())
      if (value.kind === Kind.VARIABLE && isInputObjectType(type) && type.isOneOf)
        within.push({ variable: value, type })
    },
    Document: {
      leave({ definitions }) {
        if ([...usages.values()].every(({ length }) => length === 0)) return
        for (const operation of definitions) {
          if (operation.kind !== Kind.OPERATION_DEFINITION) continue
          const fragments = context.getRecursivelyReferencedFragments(operation)
          for (const definition of [operation, ...fragments]) {
            for (const usage of usages.get(definition) ?? []) checkUsage(context, operation.variableDefinitions, usage)
          }
        }
      },
    },
  }
}

function checkUsage(
  context: ValidationContext,
  definitions: OperationDefinitionNode['variableDefinitions'] = [],
  { variable, type }: Usage,
): void {
  const name = variable.name.value
  const definition = definitions.find((one) => one.variable.name.value === name)
  const given = definition && typeFromAST(context.getSchema(), definition.type)
  if (!given || isNonNullType(given)) return
  const message = `Variable "$${name}" is of type "${given}" but must be non-nullable to be used for OneOf Input Object "${type}".`
  context.reportError(new GraphQLError(message, { nodes: [definition, variable] }))
}
