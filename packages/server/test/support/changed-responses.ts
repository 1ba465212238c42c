import fc from 'fast-check'
import { type Change, changed, changes } from './fuzzing.ts'

const members = [
  'clientDataJSON',
  'authenticatorData',
  'signature',
  'attestationObject',
  'userHandle',
  'whole',
] as const
export type Member = (typeof members)[number]
type PresentedResponse = { readonly response: Readonly<Record<string, unknown>> }

/** Changes one member of a response below its encoding, or the text of it all. */
export function changedResponse(shown: object, member: Member, all: readonly Change[]): string {
  if (member === 'whole') return changed(JSON.stringify(shown), all)
  const { response } = shown as PresentedResponse
  const bytes = Buffer.from(String(response[member] ?? ''), 'base64url').toString('latin1')
  const value = Buffer.from(changed(bytes, all), 'latin1').toString('base64url')
  return JSON.stringify({ ...shown, response: { ...response, [member]: value } })
}

/** Which member is changed, and how. */
export const changedMembers: fc.Arbitrary<readonly [Member, readonly Change[]]> = fc.tuple(
  fc.constantFrom(...members),
  changes(['"', '{', '\xa1', '\x9b\xff\xff\xff\xff', '\xd9', '\0']),
)
