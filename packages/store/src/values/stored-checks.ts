/** Returns whether a member of a stored value is valid. */
export type StoredCheck = (value: unknown) => boolean

/** A text. */
export const isStoredText: StoredCheck = (value) => typeof value === 'string'

/** A whole number that is not negative: an epoch, a generation, epoch milliseconds. */
export const isStoredCount: StoredCheck = (value) => Number.isSafeInteger(value) && (value as number) >= 0

/** `true` or `false`. */
export const isStoredFlag: StoredCheck = (value) => typeof value === 'boolean'

/**
 * Returns the check of a member that may be `null`.
 */
export function storedOrNull(check: StoredCheck): StoredCheck {
  return (value) => value === null || check(value)
}

/**
 * Returns the check of a member that may be omitted.
 */
export function storedOrOmitted(check: StoredCheck): StoredCheck {
  return (value) => value === undefined || check(value)
}

/**
 * Returns the check of a list.
 */
export function storedList(check: StoredCheck): StoredCheck {
  return (value) => Array.isArray(value) && value.every(check)
}

/**
 * Returns the check of an object with these members, among others.
 */
export function storedObject(members: Readonly<Record<string, StoredCheck>>): StoredCheck {
  const checks = Object.entries(members)
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const object = value as Readonly<Record<string, unknown>>
    return checks.every(([name, check]) => check(object[name]))
  }
}
