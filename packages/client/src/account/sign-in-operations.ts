import type { AskOwn } from '../core/create-core.ts'
import type { AuthError } from '../errors.ts'
import type { Found } from '../presence/delivery.ts'
import type { Presence } from '../presence/presence.ts'
import type { AuthState, Factor } from '../state/auth-state.ts'
import { type Session, sessionFields } from '../state/session-fields.ts'
import type { Proof } from '../step-up/proof.ts'
import type { AuthClient } from './auth-client.ts'
import { showPasskey } from './passkeys.ts'

interface Parts<User extends { readonly id: string }> {
  readonly presence: Presence<User>
  readonly askOwn: AskOwn
  readonly delivery: 'SESSION' | 'TOKEN'
  readonly userFields: string
}

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
> & { prove(proof: Proof, challenge: string): Promise<void> }

/** Returns the ways to sign in, and to prove oneself again. */
export function signInOperations<User extends { readonly id: string }>(parts: Parts<User>): SignIns<User> {
  const { presence, askOwn, delivery, userFields } = parts
  const { store } = presence
  const fields = `{challenge factors accessToken expiresIn csrfToken ${sessionFields(userFields)}}`

  const signInBy = async (field: string, type: string, input: object): Promise<AuthState<User>> => {
    const query = `mutation($i:${type}Input!){p:${field}(input:$i)${fields}}`
    const { p } = await askOwn<{ readonly p: Payload<User> }>(query, { i: input }, true)
    if (p.challenge) wait(p.challenge, p.factors)
    else presence.adopt(toFound(p))
    return store.get()
  }
  const wait = (challenge: string, factors: readonly Factor[]): void =>
    store.set({ status: 'second-factor', challenge, factors })
  const signInByPasskey = async (challenge: string | null, options: object = {}): Promise<AuthState<User>> => {
    const response = await showPasskey(askOwn, challenge, options)
    return signInBy('finishPasskeySignIn', 'FinishPasskeySignIn', { response, challenge, delivery })
  }
  const show = (proof: Proof, challenge: string): Promise<AuthState<User>> => {
    if ('passkey' in proof) return signInByPasskey(challenge)
    if ('code' in proof)
      return signInBy('verifySecondFactor', 'VerifySecondFactor', { code: proof.code, challenge, delivery })
    return signInBy('confirmPassword', 'ConfirmPassword', { currentPassword: proof.password })
  }
  return {
    signIn: ({ email, password }) => signInBy('signIn', 'SignIn', { email, password, delivery }),
    signInWithPasskey: (options) => signInByPasskey(null, options),
    verifySecondFactor: (proof) => {
      const state = store.get()
      return show(proof, state.status === 'second-factor' ? state.challenge : '')
    },
    resetPassword: async (input) => {
      const query = 'mutation($i:ResetPasswordInput!){resetPassword(input:$i)}'
      await askOwn(query, { i: input }).catch((error: AuthError) => {
        const { challenge, factors } = (error.cause ?? {}) as Partial<Payload<User>>
        if (!challenge || !factors) throw error
        wait(challenge, factors)
      })
    },
    prove: async (proof, challenge) => void (await show(proof, challenge)),
  }
}

function toFound<User>({ csrfToken, accessToken, expiresIn, session }: Payload<User>): Found<User> {
  return { token: accessToken ?? csrfToken, expiresIn, session }
}
