import { areMet, type ReadVariable } from '../documents/conditions.ts'
import type { OperationPlan, PlannedField, PlannedGroup, ReachedField } from './plan.ts'

/** The fields that ask for something and that an operation reaches with these variables. Linear: each group once. */
export function reachFields(root: PlannedGroup, read: ReadVariable): readonly ReachedField[] {
  const reached: ReachedField[] = []
  const seen = new Set<PlannedGroup>()
  const visitField = ({ key, node, conditions, rules, below }: PlannedField, above: readonly string[]): void => {
    if (!areMet(conditions, read)) return
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

export function reachedBy({ root, always }: OperationPlan, read: ReadVariable): readonly ReachedField[] {
  return always ?? reachFields(root, read)
}
