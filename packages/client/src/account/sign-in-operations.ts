import type { AuthError } from '../errors.ts'
import type { Presence } from '../presence/create-presence.ts'
import type { AuthState, Factor } from '../state/auth-state.ts'
import { type Session, sessionFields } from '../state/session-fields.ts'
import type { Proof } from '../step-up/proof.ts'
import type { AskField } from './account-operations.ts'
import type { AuthClient } from './auth-client.ts'

/** `SignInPayload` of the service. */
interface Payload<User> {
  readonly challenge: string | null
  readonly factors: readonly Factor[]
  readonly accessToken: string | null
  readonly expiresIn: number | null
  readonly csrfToken: string | null
  readonly session: Session<User> | null
}

type SignIns<User extends { readonly id: string }> = Pick<
  AuthClient<User>,
  'signIn' | 'signInWithPasskey' | 'verifySecondFactor' | 'resetPassword'
>

/** Returns the methods that sign in, and a function that sends a proof for a challenge. */
export function signInOperations<User extends { readonly id: string }>(
  presence: Presence<User>,
  ask: AskField,
  delivery: 'SESSION' | 'TOKEN',
  userFields: string,
): SignIns<User> & { prove(proof: Proof, challenge: string): Promise<AuthState<User>> } {
  const { store } = presence
  const fields = `{challenge factors accessToken expiresIn csrfToken ${sessionFields(userFields)}}`
  const wait = ({ challenge, factors = [] }: Partial<Payload<User>>): boolean => {
    if (challenge) store.set({ status: 'second-factor', challenge, factors })
    return !!challenge
  }
  const signInBy = async (field: string, input: object): Promise<AuthState<User>> => {
    const payload = await ask<Payload<User>>(field, input, fields, true)
    if (!wait(payload)) presence.adopt({ ...payload, token: payload.accessToken ?? payload.csrfToken })
    return store.get()
  }
  const signInByPasskey: (
    challenge: string | null,
    options?: Parameters<AuthClient<User>['signInWithPasskey']>[0],
  ) => Promise<AuthState<User>> = async (challenge, { conditional, signal } = {}) => {
    const { options } = await ask<{ options: string }>('startPasskeySignIn', { challenge }, '{options}')
    const credential = await navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options)),
      mediation: conditional ? 'conditional' : 'optional',
      ...(signal && { signal }),
    })
    return signInBy('finishPasskeySignIn', { response: JSON.stringify(credential), challenge, delivery })
  }
  const prove = (proof: Proof, challenge: string): Promise<AuthState<User>> => {
    if ('passkey' in proof) return signInByPasskey(challenge)
    if ('code' in proof) return signInBy('verifySecondFactor', { code: proof.code, challenge, delivery })
    return signInBy('confirmPassword', { currentPassword: proof.password })
  }
  return {
    prove,
    signIn: ({ email, password }) => signInBy('signIn', { email, password, delivery }),
    signInWithPasskey: (options) => signInByPasskey(null, options),
    verifySecondFactor: (proof) => {
      const { challenge } = store.get() as { readonly challenge?: string }
      return prove(proof, challenge ?? '')
    },
    resetPassword: (input) =>
      ask<void>('resetPassword', input).catch((error: AuthError) => {
        if (!wait((error.cause ?? {}) as Partial<Payload<User>>)) throw error
      }),
  }
}
