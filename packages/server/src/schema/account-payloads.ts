import { AccessError } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { AccountSession } from '../service/account-session/account-session.ts'
import type { ServerContext } from './server-context.ts'

/** A resolver of the account operations. */
export type Resolve = (source: never, args: never, context: ServerContext<AnyPolicy>) => unknown

/** Returns a sign-in as `SignInPayload`: where a second factor is asked for, there is nothing but its challenge. */
export function toSignInPayload(
  result: Extract<Awaited<ReturnType<AccountSession['signIn']>>, { readonly ok: true }>,
): object {
  if (result.status !== 'signed-in') {
    const { challenge, factors } = result
    return { status: 'SECOND_FACTOR_REQUIRED', challenge, factors }
  }
  const enrollmentDueAt = result.enrollmentDueAt === null ? null : new Date(result.enrollmentDueAt).toISOString()
  return { ...result, status: 'SIGNED_IN', challenge: null, factors: [], enrollmentDueAt }
}

/** A link that was used, has expired, or never was one. */
export function rejectLink(): never {
  throw new AccessError('BAD_USER_INPUT', {
    field: 'input.token',
    message: 'This link is invalid, expired or already used.',
  })
}

export function rejectCredentials(): never {
  throw new AccessError('INVALID_CREDENTIALS')
}
