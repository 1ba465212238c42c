import { areMet, type ReadVariable } from '../documents/conditions.ts'
import type { OperationPlan, PlannedField, PlannedGroup, ReachedField } from './plan.ts'

/**
 * Returns the fields with rules that an operation reaches with these variables. Linear: each group is walked once.
 *
 * @param isNull whether a field with `orNull` is null: then the field and the fields below it are not reached.
 */
export function reachFields(
  root: PlannedGroup,
  read: ReadVariable,
  isNull: (field: PlannedField) => boolean = () => false,
): readonly ReachedField[] {
  const reached: ReachedField[] = []
  const seen = new Set<PlannedGroup>()
  const visitField = (field: PlannedField, above: readonly string[]): void => {
    const { key, node, conditions, rules, below } = field
    if (!areMet(conditions, read) || (field.orNull && isNull(field))) return
    const path = above.concat(key)
    if (rules.length > 0) reached.push({ node, path, rules })
    if (below) visit(below, path)
  }
  const visit = (group: PlannedGroup, path: readonly string[]): void => {
    if (seen.has(group)) return
    seen.add(group)
    for (const field of group.fields) visitField(field, path)
    for (const spread of group.spreads) if (areMet(spread.conditions, read)) visit(spread.group, path)
  }
  visit(root, [])
  return reached
}

export function reachedBy(
  { root, always }: OperationPlan,
  ...how: [read: ReadVariable, isNull: (field: PlannedField) => boolean]
): readonly ReachedField[] {
  return always ?? reachFields(root, ...how)
}
