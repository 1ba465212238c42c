import type { AskOwn } from '../core/create-core.ts'
import type { AuthClient } from './auth-client.ts'

/** Asks a field of `Mutation` whose input type has its name. */
export type AskField = <Value>(field: string, input: object, fields?: string, isSignIn?: boolean) => Promise<Value>

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

/** Returns what asks fields of `Mutation`. */
export function fieldsOf(askOwn: AskOwn): AskField {
  return async <Value>(field: string, input: object, fields = '', isSignIn = false) => {
    const type = field[0]?.toUpperCase() + field.slice(1).replace('Enrollment', '')
    const query = `mutation($i:${type}Input!){v:${field}(input:$i)${fields}}`
    return (await askOwn<{ readonly v: Value }>(query, { i: input }, { isSignIn })).v
  }
}

/** Returns the operations on accounts that do not change the sign-in. */
export function accountOperations(askOwn: AskOwn, ask: AskField): AccountOperations {
  return {
    signUp: (input) => ask('signUp', input, '{accepted}'),
    verifyEmail: (input) => ask('verifyEmail', input),
    requestPasswordReset: (input) => ask('requestPasswordReset', input),
    changePassword: (input) => ask('changePassword', input),
    addPasskey: async ({ name }) => {
      const { v } = await askOwn<{ readonly v: { options: string } }>('mutation{v:startPasskeyRegistration{options}}')
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(v.options))
      const response = JSON.stringify(await navigator.credentials.create({ publicKey }))
      return ask('finishPasskeyRegistration', { name, response }, '{id recoveryCodes}')
    },
    startTotpEnrollment: async () => {
      const query = 'mutation{v:startTotpEnrollment{secret otpauthUri qrCodeSvg}}'
      return (await askOwn<{ readonly v: { secret: string; otpauthUri: string; qrCodeSvg: string } }>(query)).v
    },
    confirmTotpEnrollment: (input) => ask('confirmTotpEnrollment', input, '{codes}'),
  }
}
