import { isPasswordError, type PasswordError, type PasswordRefusal } from '@latchkey/password'
import type { AccountsContext } from '../context/accounts-context.ts'
import { AccountsError } from '../errors.ts'

export interface NewPassword {
  readonly password: string
  /** The name of the input, for the error. */
  readonly field: string
  /** The names of the account: the password must not be one of them. */
  readonly names: readonly string[]
  /** `idle`: the number of requests has no limit, so sign-ins come first. `login`: a limit or an administrator bounds it. */
  readonly lane: 'login' | 'idle'
  /** The address of the request, in the lane `idle`, in which addresses take turns. Omitted: the unknown addresses share a turn. */
  readonly address?: string | null
}

/** Returns the hash of a password that the policy allows. @throws AccountsError PASSWORD_REJECTED. */
export async function hashNewPassword(
  { passwordPolicy, passwordHasher }: AccountsContext,
  { password, field, names, lane, address = null }: NewPassword,
): Promise<string> {
  const verdict = await passwordPolicy.check(password, { context: names })
  if (!verdict.ok) throw passwordRefused(field, verdict)
  return passwordHasher.hash(password, { lane, client: address }).catch((error: unknown) => {
    throw isPasswordError(error) ? translateHasherError(error, field) : error
  })
}

/** Translates the limits of the hasher, which the policy may not have. */
function translateHasherError(error: PasswordError, field: string): Error {
  if (error.code === 'PASSWORD_INVALID') return passwordRefused(field, { reason: 'malformed' })
  return error.code === 'PASSWORD_TOO_LONG' ? passwordRefused(field, { reason: 'too-long' }) : error
}

interface BrokenRule {
  readonly reason: PasswordRefusal
  readonly minimumCharacters?: number
}

function passwordRefused(field: string, { reason, minimumCharacters }: BrokenRule): AccountsError {
  const rule = { field, reason, ...(minimumCharacters !== undefined && { minimumCharacters }) }
  return new AccountsError('PASSWORD_REJECTED', 'the password is not allowed', rule)
}
