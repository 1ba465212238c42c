import { AccessError } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { AccountSession } from '../service/account-session/account-session.ts'
import type { ServerContext } from './server-context.ts'

export type Context = ServerContext<AnyPolicy>
export type Input<Fields> = { readonly input: Fields }

/** A resolver of the account operations. */
export type Resolve = (source: never, args: never, context: Context) => unknown

/** Returns a sign-in as `SignInPayload`: only the challenge if a second factor is required. */
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

/** Rejects a used, expired or unknown link. */
export function rejectLink(): never {
  throw new AccessError('BAD_USER_INPUT', {
    field: 'input.token',
    message: 'This link is invalid, expired or already used.',
  })
}

export function rejectCredentials(): never {
  throw new AccessError('INVALID_CREDENTIALS')
}

/** Rejects a request whose account or session was removed after the identity was established. */
export function rejectGone(): never {
  throw new AccessError('UNAUTHENTICATED')
}
