import {
  type AccountDirectory,
  type AccountStore,
  type AccountsOptions,
  createAccounts,
  type IssuedCredentials,
  type SignInResult,
} from '@latchkey/accounts'
import { expectTypeOf, test } from 'vitest'

declare const options: AccountsOptions
declare const store: AccountStore
declare const directory: AccountStore & AccountDirectory

test('listing is there with a store that can list, and only there', () => {
  createAccounts({ ...options, accounts: directory }).list()
  // @ts-expect-error this store has no directory
  createAccounts({ ...options, accounts: store }).list()
})

test('what protects accounts is required', () => {
  const { policy: _policy, ...withoutPolicy } = options
  // @ts-expect-error no policy for passwords
  createAccounts(withoutPolicy)
  const { signUp: _signUp, ...withoutSignUp } = options
  // @ts-expect-error who may sign up has to be said
  createAccounts(withoutSignUp)
  // @ts-expect-error no boolean opens native delivery
  createAccounts({ ...options, nativeDelivery: true })
})

test('the result of a sign-in says what there is to deliver', () => {
  const result = {} as SignInResult
  // @ts-expect-error a refusal carries nothing
  void result.credentials
  if (result.status === 'signed-in') expectTypeOf(result.credentials).toEqualTypeOf<IssuedCredentials>()
  if (result.status === 'refused') expectTypeOf(result.code).toEqualTypeOf<'INVALID_CREDENTIALS'>()
})

test('an account shows neither hash nor epoch', () => {
  const accounts = createAccounts(options)
  type Shown = NonNullable<Awaited<ReturnType<typeof accounts.get>>>
  expectTypeOf<keyof Shown>().toEqualTypeOf<'id' | 'email' | 'name' | 'roles' | 'status'>()
})
