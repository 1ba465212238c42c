import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql'

const incremental: readonly string[] = ['defer', 'stream']

/**
 * Refuses what asks for an answer in parts: one status stands for the whole answer here. Where the schema does not know
 * these directives, GraphQL itself says so.
 */
export function NoIncrementalDeliveryRule(context: ValidationContext): ASTVisitor {
  return {
    Directive(node) {
      const name = node.name.value
      if (!incremental.includes(name) || !context.getSchema().getDirective(name)) return
      context.reportError(new GraphQLError(`"@${name}" is not supported: answers are given whole.`, { nodes: node }))
    },
  }
}
