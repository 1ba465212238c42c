import { askOwn } from '../core/create-core.ts'
import type { Identified, Page } from '../state/page.ts'
import type { AuthClient } from './auth-client.ts'

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

/** Sends a mutation of one field. The input type has the name of the field. */
export async function askField<Value, User extends Identified = never>(
  page: Page<User>,
  field: string,
  fields = '',
  input?: object,
  isSignIn?: boolean,
): Promise<Value> {
  const type = field[0]?.toUpperCase() + field.slice(1).replace('Enrollment', '')
  const [declared, given] = input ? [`($i:${type}Input!)`, '(input:$i)'] : ['', '']
  const query = `mutation${declared}{v:${field}${given}${fields}}`
  return (await askOwn<{ readonly v: Value }, User>(page, query, { i: input }, undefined, isSignIn)).v
}

/** Returns the operations on accounts that do not change the sign-in. */
export function accountOperations<User extends Identified>(page: Page<User>): AccountOperations {
  const operation =
    (field: string, fields?: string) =>
    <Value>(input?: object): Promise<Value> =>
      askField(page, field, fields, input)
  return {
    signUp: operation('signUp', '{accepted}'),
    verifyEmail: operation('verifyEmail'),
    requestPasswordReset: operation('requestPasswordReset'),
    changePassword: operation('changePassword'),
    addPasskey: async ({ name }) => {
      const { options } = await askField<{ options: string }, User>(page, 'startPasskeyRegistration', '{options}')
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options))
      const response = JSON.stringify(await navigator.credentials.create({ publicKey }))
      return askField(page, 'finishPasskeyRegistration', '{id recoveryCodes}', { name, response })
    },
    startTotpEnrollment: () => askField(page, 'startTotpEnrollment', '{secret otpauthUri qrCodeSvg}'),
    confirmTotpEnrollment: operation('confirmTotpEnrollment', '{codes}'),
  }
}
