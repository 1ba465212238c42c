import { resourceOf } from './ownership.ts'

/** Returns the wildcards that match at least one of these permissions. */
export function wildcardsOf(permissions: readonly string[]): ReadonlySet<string> {
  return new Set(permissions.map(wildcardOf).filter((wildcard) => wildcard !== 'ownership:*'))
}

/** Returns the wildcard that matches a permission. */
export function wildcardOf(permission: string): string {
  return `${resourceOf(permission)}:*`
}
