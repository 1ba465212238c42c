import { resourceOf } from './ownership.ts'

/**
 * `articles:*`: every permission of the policy with this part before the colon. There is none for `ownership`:
 * `ownership:bypass` is granted by its name only.
 */
export type Wildcard<Permission extends string> = Permission extends `${infer Resource}:${string}`
  ? Exclude<`${Resource}:*`, 'ownership:*'>
  : never

/** Returns the wildcards that match at least one of these permissions. */
export function wildcardsOf(permissions: readonly string[]): ReadonlySet<string> {
  return new Set(permissions.map(wildcardOf).filter((wildcard) => wildcard !== 'ownership:*'))
}

/** Returns the wildcard that matches a permission. */
export function wildcardOf(permission: string): string {
  return `${resourceOf(permission)}:*`
}
