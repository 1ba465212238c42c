import type { AuthError } from '../errors.ts'
import { adopt } from '../presence/presence.ts'
import type { AuthState, Factor } from '../state/auth-state.ts'
import { type Identified, type Page, setState } from '../state/page.ts'
import type { Proof } from '../state/proof.ts'
import { type Session, sessionFields } from '../state/session-fields.ts'
import { askField } from './account-operations.ts'
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

type SignIns<User extends Identified> = Pick<
  AuthClient<User>,
  'signIn' | 'signInWithPasskey' | 'verifySecondFactor' | 'resetPassword'
>

/** Returns the methods that sign in. */
export function signInOperations<User extends Identified>(page: Page<User>): SignIns<User> {
  return {
    signIn: ({ email, password }) => signInBy(page, 'signIn', { email, password }),
    signInWithPasskey: (options) => signInByPasskey(page, null, options),
    verifySecondFactor: (proof) => {
      const { challenge = '' } = page.state as { readonly challenge?: string }
      return prove(page, proof, challenge)
    },
    resetPassword: (input) =>
      askField<void, User>(page, 'resetPassword', '', input).catch((error: AuthError) => {
        if (!mustWait(page, (error.cause ?? {}) as Partial<Payload<User>>)) throw error
      }),
  }
}

/** Sends a proof for a challenge. */
export function prove<User extends Identified>(
  page: Page<User>,
  proof: Proof,
  challenge: string,
): Promise<AuthState<User>> {
  if ('passkey' in proof) return signInByPasskey(page, challenge)
  if ('password' in proof)
    return signInBy(page, 'confirmPassword', { currentPassword: proof.password, delivery: undefined })
  return signInBy(page, 'verifySecondFactor', { code: proof.code, challenge })
}

/** Signs in, in the form of the page if the input names no other. */
async function signInBy<User extends Identified>(
  page: Page<User>,
  field: string,
  input: object,
): Promise<AuthState<User>> {
  const fields = `{challenge factors accessToken expiresIn csrfToken ${sessionFields(page.userFields)}}`
  const delivery = page.delivery.renew ? 'TOKEN' : 'SESSION'
  const payload = await askField<Payload<User>, User>(page, field, fields, { delivery, ...input }, true)
  if (!mustWait(page, payload)) adopt(page, { ...payload, token: payload.accessToken ?? payload.csrfToken })
  return page.state
}

async function signInByPasskey<User extends Identified>(
  page: Page<User>,
  challenge: string | null,
  { conditional, signal }: NonNullable<Parameters<AuthClient['signInWithPasskey']>[0]> = {},
): Promise<AuthState<User>> {
  const input = { challenge }
  const { options } = await askField<{ options: string }, User>(page, 'startPasskeySignIn', '{options}', input)
  const credential = await navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options)),
    mediation: conditional ? 'conditional' : 'optional',
    ...(signal && { signal }),
  })
  const response = JSON.stringify(credential)
  return signInBy(page, 'finishPasskeySignIn', { response, challenge })
}

/** Whether a second factor must be shown first. */
function mustWait<User extends Identified>(
  page: Page<User>,
  { challenge, factors = [] }: Partial<Payload<User>>,
): boolean {
  if (challenge) setState(page, { status: 'second-factor', challenge, factors })
  return !!challenge
}
