import {
  type ASTNode,
  type ASTVisitor,
  GraphQLError,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  visitInParallel,
} from 'graphql'

/** Returns a rule that reports `change(error)` instead of each error. */
export function reportThrough(rule: ValidationRule, change: (error: GraphQLError) => GraphQLError): ValidationRule {
  return (context) => {
    const reportError = (error: GraphQLError): void => context.reportError(change(error))
    return rule(Object.create(context, { reportError: { value: reportError } }) as ValidationContext)
  }
}

/**
 * GraphQL's rule, with a location for a `GraphQLError` that a scalar throws. The original rule passes it on without a
 * location.
 */
export function LocatedValuesRule(context: ValidationContext): ASTVisitor {
  let nodes: readonly ASTNode[] = []
  const locate = (error: GraphQLError): GraphQLError =>
    error.nodes ? error : new GraphQLError(error.message, { nodes, originalError: error })
  const follow: ASTVisitor = {
    enter(node) {
      nodes = [node]
    },
  }
  return visitInParallel([follow, reportThrough(ValuesOfCorrectTypeRule, locate)(context)])
}
