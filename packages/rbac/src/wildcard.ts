import { resourceOf } from './ownership.ts'

/**
 * `articles:*`: every permission of the policy whose part before the colon is this. There is none of `ownership`:
 * `ownership:bypass` is given by its name.
 */
export type Wildcard<Permission extends string> = Permission extends `${infer Resource}:${string}`
  ? Exclude<`${Resource}:*`, 'ownership:*'>
  : never

/** The wildcards that mean something among these permissions. */
export function wildcardsOf(permissions: readonly string[]): ReadonlySet<string> {
  return new Set(permissions.map(wildcardOf).filter((wildcard) => wildcard !== 'ownership:*'))
}

/** The wildcard that a permission falls under. */
export function wildcardOf(permission: string): string {
  return `${resourceOf(permission)}:*`
}
