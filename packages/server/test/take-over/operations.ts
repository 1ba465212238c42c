import { codeAt } from '@latchkey/test-services'
import { life } from '../account-life/operations.ts'
import { operations } from '../support/factor-bench.ts'
import { type Answer, signInMutation } from '../support/visitor.ts'
import { linkOwnUser } from './provider-tries.ts'
import {
  addressForCode,
  challengeOf,
  chosen,
  confirmToken,
  guess,
  mailedCode,
  noToken,
  resetToken,
  type Thief,
  undoToken,
} from './thieves.ts'

/** Tries something as well as the loot allows. */
export interface Try {
  readonly run: (thief: Thief) => Promise<Answer>
  /** With the loot alone, before it has led anywhere. @default false */
  readonly before?: true
}

type Ask = (query: string, variables?: (thief: Thief) => object | Promise<object>) => Try
const ask: Ask = (query, variables = () => ({})) => ({
  run: async (thief) => thief.visitor.ask(query, await variables(thief)),
})
const withInput = (name: string, type: string, input: (thief: Thief) => object | Promise<object>, shown = ''): Try =>
  ask(`mutation ($input: ${type}!) { ${name}(input: $input) ${shown} }`, async (thief) => ({
    input: await input(thief),
  }))
const before = (tried: Try): Try => ({ ...tried, before: true })

const unknown = `factor_${'A'.repeat(22)}.${'A'.repeat(43)}`

/** The id of something of the account that the thief sees, or one that nothing has. */
export async function firstId({ visitor }: Thief, field: string): Promise<string> {
  const { data } = await visitor.ask(`{ ${field} { id } }`)
  return data?.[field]?.[0]?.id ?? 'none'
}

/** A code of an app that the thief has begun to add, or a guess. */
export async function ownCode(thief: Thief): Promise<string> {
  const { visitor, held } = thief
  const { data } = await visitor.ask(operations.enroll)
  return data ? codeAt(data.startTotpEnrollment.secret, held.bench.clock.time) : '000000'
}

/** A passkey of the thief's own. */
export async function ownRegistration({ visitor, authenticator }: Thief): Promise<string> {
  const { data } = await visitor.ask(operations.register)
  if (!data) return '{}'
  const options = JSON.parse(data.startPasskeyRegistration.options)
  return JSON.stringify(await authenticator.create(options, { ignoresLists: true }))
}

/** What the account is asked for in place of a code: without an app a passkey takes it. */
const codeFor = ({ held, code }: Thief) => (held.protection === 'a passkey' ? {} : { code: code ?? '000000' })

/** The address that the thief knows the account by. */
export const emailOf = ({ held, mailboxes }: Thief): string =>
  mailboxes.includes(held.formerEmail) ? held.formerEmail : held.email

/** What signs in by a code of a mail. */
export const byCode = {
  request: 'mutation ($input: RequestSignInCodeInput!) { requestSignInCode(input: $input) { accepted } }',
  signIn: 'mutation ($input: SignInWithCodeInput!) { signInWithCode(input: $input) { status } }',
} as const

/** Every operation of accounts, as a thief tries it. */
export const operationTries: Readonly<Record<string, Try>> = {
  viewer: ask('{ viewer { id } }'),
  sessions: ask('{ sessions { id } }'),
  csrfToken: ask('{ csrfToken }'),
  session: ask('{ session { account { id } csrfToken } }'),
  factors: ask('{ factors { kind } }'),
  passkeys: ask('{ passkeys { id } }'),
  grants: ask('{ grants { id } }'),
  accounts: ask('{ accounts { id } }'),
  findAccounts: ask('{ findAccounts { nodes { id } } }'),
  auditEntries: ask('{ auditEntries { nodes { id } } }'),
  signUp: withInput(
    'signUp',
    'SignUpInput',
    (thief) => ({ email: emailOf(thief), password: chosen, name: 'A' }),
    '{ accepted }',
  ),
  verifyEmail: withInput('verifyEmail', 'VerifyEmailInput', () => ({ token: noToken })),
  signIn: before(
    ask(signInMutation, (thief) => ({ input: { email: emailOf(thief), password: thief.password ?? guess } })),
  ),
  requestSignInCode: ask(byCode.request, (thief) => ({ input: { email: emailOf(thief) } })),
  signInWithCode: before({
    async run(thief) {
      const email = await addressForCode(thief)
      await thief.visitor.ask(byCode.request, { input: { email } })
      return thief.visitor.ask(byCode.signIn, { input: { email, code: await mailedCode(thief) } })
    },
  }),
  refresh: ask(
    'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken refreshToken } }',
    ({ visitor }) => ({
      input: visitor.refreshToken === null ? null : { refreshToken: visitor.refreshToken },
    }),
  ),
  signOut: ask('mutation { signOut }'),
  revokeSession: ask('mutation ($id: ID!) { revokeSession(id: $id) }', async (thief) => ({
    id: await firstId(thief, 'sessions'),
  })),
  revokeAllSessions: ask('mutation { revokeAllSessions }'),
  revokeGrant: ask('mutation ($id: ID!) { revokeGrant(id: $id) }', async (thief) => ({
    id: await firstId(thief, 'grants'),
  })),
  confirmPassword: withInput(
    'confirmPassword',
    'ConfirmPasswordInput',
    ({ password }) => ({ currentPassword: password ?? guess }),
    '{ status }',
  ),
  changePassword: withInput('changePassword', 'ChangePasswordInput', ({ password }) => ({
    currentPassword: password ?? guess,
    newPassword: `${chosen} again`,
  })),
  requestPasswordReset: withInput('requestPasswordReset', 'RequestPasswordResetInput', (thief) => ({
    email: emailOf(thief),
  })),
  resetPassword: before(
    withInput('resetPassword', 'ResetPasswordInput', async (thief) => ({
      token: await resetToken(thief),
      newPassword: chosen,
    })),
  ),
  setRole: ask(life.setRole, ({ held }) => ({ id: held.other.id })),
  verifySecondFactor: ask(operations.verify, (thief) => ({
    input: { challenge: challengeOf(thief) ?? unknown, code: thief.code ?? '000000' },
  })),
  startTotpEnrollment: ask(operations.enroll),
  confirmTotpEnrollment: ask(operations.confirm, async (thief) => ({ input: { code: await ownCode(thief) } })),
  disableTotp: ask(operations.disable, ({ code }) => ({ input: { code: code ?? '000000' } })),
  regenerateRecoveryCodes: ask(operations.regenerate, (thief) => ({ input: codeFor(thief) })),
  startPasskeyRegistration: ask(operations.register),
  finishPasskeyRegistration: ask(operations.registered, async (thief) => ({
    input: { name: 'Phone', response: await ownRegistration(thief) },
  })),
  startPasskeySignIn: ask(operations.startPasskey),
  finishPasskeySignIn: ask(operations.finishPasskey, (thief) => ({
    input: { response: '{}', challenge: challengeOf(thief) },
  })),
  renamePasskey: ask(operations.rename, async (thief) => ({
    input: { id: await firstId(thief, 'passkeys'), name: 'Mine' },
  })),
  removePasskey: ask(operations.remove, async (thief) => ({ id: await firstId(thief, 'passkeys') })),
  changeName: ask(life.changeName, () => ({ input: { name: 'Another' } })),
  requestEmailChange: ask(life.requestEmailChange, ({ mailboxes }) => ({ input: { newEmail: mailboxes.at(-1) } })),
  confirmEmailChange: ask(life.confirmEmailChange, async (thief) => ({ input: { token: await confirmToken(thief) } })),
  undoEmailChange: before(ask(life.undoEmailChange, (thief) => ({ input: { token: undoToken(thief) } }))),
  linkedProviders: ask('{ linkedProviders { id } }'),
  linkProvider: { run: linkOwnUser },
  unlinkProvider: ask('mutation ($id: ID!) { unlinkProvider(id: $id) }', async (thief) => ({
    id: await firstId(thief, 'linkedProviders'),
  })),
  exportAccount: ask(life.exportAccount),
  deleteAccount: ask(life.deleteAccount, () => ({ input: { confirm: true } })),
  lockAccount: ask(life.lockAccount, ({ held }) => ({ id: held.other.id })),
  unlockAccount: ask(life.unlockAccount, ({ held }) => ({ id: held.other.id })),
  endSessions: ask(life.endSessions, ({ held }) => ({ id: held.other.id })),
}
