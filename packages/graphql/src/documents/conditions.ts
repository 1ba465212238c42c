import { type DirectiveNode, Kind } from 'graphql'

/** A `@skip` or `@include` with a variable. The selection is left out if the variable has this value. */
export interface Condition {
  readonly variable: string
  readonly excludedWhen: boolean
}

/**
 * Returns the conditions of a selection, or `null` if it is never executed. Like `execute` it reads the first directive
 * of each name, and includes selections that are not clearly excluded.
 */
export function readConditions(directives: readonly DirectiveNode[] = []): readonly Condition[] | null {
  if (directives.length === 0) return noConditions
  const conditions: Condition[] = []
  for (const [name, excludedWhen] of [
    ['skip', true],
    ['include', false],
  ] as const) {
    const directive = directives.find((node) => node.name.value === name)
    const value = directive?.arguments?.find((argument) => argument.name.value === 'if')?.value
    if (value?.kind === Kind.BOOLEAN && value.value === excludedWhen) return null
    if (value?.kind === Kind.VARIABLE) conditions.push({ variable: value.name.value, excludedWhen })
  }
  return conditions
}

/** Shared by the many selections without directives. */
const noConditions: readonly Condition[] = Object.freeze([])

/** Values of variables as the executor coerced them, defaults included. */
export type ReadVariable = (name: string) => unknown

export function areMet(conditions: readonly Condition[], read: ReadVariable): boolean {
  return conditions.every(({ variable, excludedWhen }) => read(variable) !== excludedWhen)
}
