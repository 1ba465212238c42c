type Scalar = string | number | boolean | null

const longestText = 1000
const longestList = 100

/**
 * Returns the own details of these names that are JSON scalars, or lists of scalars. No accessor and no `toJSON` is
 * called, because extensions may come from another service.
 */
export function pickDetails(extensions: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  const picked: Record<string, unknown> = {}
  for (const name of names) {
    const detail = toDetail(ownValue(extensions, name))
    if (detail !== undefined) picked[name] = detail
  }
  return picked
}

/** Returns the value of an own property; `undefined` if it is absent or computed. */
export function ownValue(object: object, name: string | number): unknown {
  try {
    return Object.getOwnPropertyDescriptor(object, name)?.value
  } catch {
    return undefined
  }
}

function toDetail(value: unknown): Scalar | readonly Scalar[] | undefined {
  if (isScalar(value)) return value
  if (!Array.isArray(value)) return undefined
  const length = Number(ownValue(value, 'length'))
  if (!(length <= longestList)) return undefined
  const items = Array.from({ length }, (_none, index) => ownValue(value, index))
  return items.every(isScalar) ? items : undefined
}

function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'string') return value.length <= longestText
  return value === null || typeof value === 'boolean' || Number.isFinite(value)
}
