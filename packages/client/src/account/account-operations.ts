import type { AskOwn } from '../core/create-core.ts'
import type { AuthClient } from './auth-client.ts'
import { createPasskey } from './passkeys.ts'

type AccountOperations = Pick<
  AuthClient,
  | 'signUp'
  | 'verifyEmail'
  | 'requestPasswordReset'
  | 'changePassword'
  | 'addPasskey'
  | 'startTotpEnrollment'
  | 'confirmTotpEnrollment'
>

/** Returns what accounts can do that signs nobody in. */
export function accountOperations(askOwn: AskOwn): AccountOperations {
  const ask = async <Value>(field: string, type: string, input: object, fields = ''): Promise<Value> => {
    const query = `mutation($i:${type}Input!){v:${field}(input:$i)${fields}}`
    return (await askOwn<{ readonly v: Value }>(query, { i: input })).v
  }
  return {
    signUp: async (input) => void (await ask('signUp', 'SignUp', input, '{accepted}')),
    verifyEmail: async (input) => void (await ask('verifyEmail', 'VerifyEmail', input)),
    requestPasswordReset: async (input) => void (await ask('requestPasswordReset', 'RequestPasswordReset', input)),
    changePassword: async (input) => void (await ask('changePassword', 'ChangePassword', input)),
    addPasskey: async ({ name }) => {
      const response = await createPasskey(askOwn)
      return ask('finishPasskeyRegistration', 'FinishPasskeyRegistration', { name, response }, '{id recoveryCodes}')
    },
    startTotpEnrollment: async () => {
      const query = 'mutation{v:startTotpEnrollment{secret otpauthUri qrCodeSvg}}'
      return (await askOwn<{ readonly v: { secret: string; otpauthUri: string; qrCodeSvg: string } }>(query)).v
    },
    confirmTotpEnrollment: (input) => ask('confirmTotpEnrollment', 'ConfirmTotp', input, '{codes}'),
  }
}
