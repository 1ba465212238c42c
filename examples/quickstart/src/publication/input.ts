import { AccessError } from '@latchkey/graphql'

const limits = { 'input.title': 200, 'input.body': 100_000, 'input.text': 5_000, text: 200 } as const

/** Returns a text without surrounding white space, or refuses it as `BAD_USER_INPUT` naming the argument or input field. */
export function requireText(field: keyof typeof limits, text: string): string {
  const trimmed = text.trim()
  if (trimmed === '') throw new AccessError('BAD_USER_INPUT', { field, message: `"${field}" must not be empty` })
  if (trimmed.length > limits[field]) {
    throw new AccessError('BAD_USER_INPUT', { field, message: `"${field}" has at most ${limits[field]} characters` })
  }
  if (!trimmed.isWellFormed() || trimmed.includes('\0'))
    throw new AccessError('BAD_USER_INPUT', { field, message: `"${field}" is not valid text` })
  return trimmed
}

/** Returns the size of a page, or refuses it: 0 to 100 items. */
export function requireFirst(first: number | null | undefined): number {
  const size = first ?? 10
  if (size < 0 || size > 100)
    throw new AccessError('BAD_USER_INPUT', { field: 'first', message: '"first" is 0 to 100' })
  return size
}
