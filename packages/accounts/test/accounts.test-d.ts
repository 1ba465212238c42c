import {
  type Account,
  type Accounts,
  type AccountsOptions,
  type Attempt,
  createAccounts,
  type IssuedCredentials,
  type SignInResult,
} from '@latchkey/accounts'
import type { JudgedAttempt } from '@latchkey/accounts/internal'
import { expectTypeOf, test } from 'vitest'

declare const options: AccountsOptions
const { signIn } = options

test('what protects accounts is required', () => {
  const { passwordPolicy: _policy, ...withoutPolicy } = options
  // @ts-expect-error no policy for passwords
  createAccounts(withoutPolicy)
  const { signUp: _signUp, ...withoutSignUp } = options
  // @ts-expect-error who may sign up has to be said
  createAccounts(withoutSignUp)
  // @ts-expect-error no boolean opens native delivery
  createAccounts({ ...options, signIn: { ...signIn, nativeDelivery: true } })
})

test('claims of access tokens are there at once', () => {
  const accessTokenClaims = ({ email }: Account) => ({ domain: email.split('@')[1], plans: ['basic'] })
  createAccounts({ ...options, signIn: { ...signIn, accessTokenClaims } })
  // @ts-expect-error a promise
  createAccounts({ ...options, signIn: { ...signIn, accessTokenClaims: async () => ({ plan: 'basic' }) } })
})

test('every use case that tests a secret or changes an account requires an attempt', () => {
  type Input<Name extends keyof Accounts> = Parameters<Accounts[Name]>[0]
  type Asking = 'signUp' | 'verifyEmail' | 'signIn' | 'refresh' | 'signOut' | 'confirmPassword' | 'changePassword'
  type Linked = 'requestPasswordReset' | 'resetPassword' | 'checkLink' | 'revokeSession' | 'revokeAllSessions'
  type Administering = 'create' | 'setRoles' | 'disable' | 'enable'
  expectTypeOf<Input<Asking | Linked | Administering>['attempt']>().toEqualTypeOf<Attempt>()
  expectTypeOf<JudgedAttempt>().not.toExtend<Attempt>()
  // A token that was not judged is in no event.
  expectTypeOf<Attempt>().not.toExtend<JudgedAttempt>()
})

test('only a verdict with ok: true has an account', () => {
  const signIn = {} as SignInResult
  // @ts-expect-error a refusal carries nothing but its reason
  void signIn.credentials
  // @ts-expect-error before the second factor there are none
  if (signIn.ok && signIn.status === 'second-factor-required') void signIn.credentials
  if (signIn.ok && signIn.status === 'signed-in') {
    expectTypeOf(signIn.credentials).toEqualTypeOf<IssuedCredentials>()
  }
  if (!signIn.ok) {
    expectTypeOf(signIn.reason).toEqualTypeOf<'invalid-credentials'>()
  }
})

test('every verdict has the same shape', () => {
  type Answer<Name extends keyof Accounts> = Awaited<ReturnType<Accounts[Name]>>
  type ReasonOf<Verdict> =
    Extract<Verdict, { readonly ok: false }> extends { readonly reason: infer Reason } ? Reason : 0
  expectTypeOf<ReasonOf<Answer<'signIn'>>>().toEqualTypeOf<'invalid-credentials'>()
  expectTypeOf<ReasonOf<Answer<'refresh'>>>().toEqualTypeOf<'invalid-credentials'>()
  expectTypeOf<ReasonOf<Answer<'changePassword'>>>().toEqualTypeOf<'invalid-credentials'>()
  expectTypeOf<ReasonOf<Answer<'verifyEmail'>>>().toEqualTypeOf<'link-invalid'>()
  expectTypeOf<ReasonOf<Answer<'resetPassword'>>>().toEqualTypeOf<'link-invalid'>()
  expectTypeOf<Answer<'verifyEmail' | 'resetPassword'>['ok']>().toEqualTypeOf<boolean>()
})

test('look-ups and administration answer the account or null, endings a boolean or a count', () => {
  type Answer<Name extends keyof Accounts> = Awaited<ReturnType<Accounts[Name]>>
  expectTypeOf<Answer<'get' | 'setRoles' | 'disable' | 'enable'>>().toEqualTypeOf<Account | null>()
  expectTypeOf<Answer<'signOut' | 'revokeSession'>>().toEqualTypeOf<boolean>()
  expectTypeOf<Answer<'revokeAllSessions'>>().toEqualTypeOf<number>()
})

test('an account shows neither hash nor epoch', () => {
  const accounts = createAccounts(options)
  type Shown = NonNullable<Awaited<ReturnType<typeof accounts.get>>>
  expectTypeOf<keyof Shown>().toEqualTypeOf<'id' | 'email' | 'name' | 'roles' | 'status'>()
})
