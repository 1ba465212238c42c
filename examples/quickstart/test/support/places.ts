import type { SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { type App, operations, publicUrl } from './second-factors.ts'
import { type Answer, createVisitor, type SentForm, seedPassword, type Visitor, visit } from './visitor.ts'

/** Where a text could open something, were it a credential. */
export interface Place {
  readonly name: string
  /** Shows a text there, as a visitor who has nothing else. */
  show(text: string): Promise<Answer>
  /** Whether something of an account is seen or changed. */
  isOpened(answer: Answer): boolean
  /** What opens it, of what a sign-in delivers. */
  readonly opensBy?: 'session' | 'access token' | 'refresh cookie' | 'refresh token' | 'CSRF token'
}

/** An account with every factor, and a visitor who is signed in to it. */
export interface Owned {
  readonly visitor: Visitor
  readonly app: App
  readonly authenticator: SoftwareAuthenticator
}

interface Accounts {
  /** Whose password was shown. */
  readonly owner: Owned
  readonly email: string
  /** Another account, whose factors are not those that are asked for. */
  readonly other: Owned
}

const newPassword = 'seven kettles hum along'
const isShown = ({ status }: Answer): boolean => status === 200
const isLedOn = ({ status, headers }: Answer): boolean =>
  status === 303 && !headers.get('location')?.startsWith('/sign-in')
const isAnswered =
  (field: string) =>
  ({ data }: Answer): boolean =>
    (data?.[field] ?? null) !== null

/** Every place of the endpoint and of the pages at which a text could be shown. */
export function createPlaces(url: string, accounts: Accounts): readonly Place[] {
  return [...credentialsOf(url, accounts), ...answersOf(url, accounts), ...linksOf(url), deviceOf(url, accounts)]
}

const pageAt = (url: string) => (path: string, form: SentForm) =>
  visit(createVisitor(url), { url, publicUrl }, path, form)

function credentialsOf(url: string, { owner }: Accounts): readonly Place[] {
  const page = pageAt(url)
  return [
    {
      name: 'a session cookie',
      show: (text) => createVisitor(url).ask(operations.viewer, {}, { cookie: `__Host-session=${text}` }),
      isOpened: isAnswered('viewer'),
      opensBy: 'session',
    },
    {
      name: 'a session cookie, on a page',
      show: (text) => page('/account', { cookie: `__Host-session=${text}` }),
      isOpened: isShown,
      opensBy: 'session',
    },
    {
      name: 'a bearer token',
      show: (text) => createVisitor(url).ask(operations.viewer, {}, { authorization: `Bearer ${text}` }),
      isOpened: isAnswered('viewer'),
      opensBy: 'access token',
    },
    {
      name: 'a refresh cookie',
      show: (text) => createVisitor(url).ask(operations.refresh, {}, { cookie: `__Host-refresh=${text}` }),
      isOpened: isAnswered('refresh'),
      opensBy: 'refresh cookie',
    },
    {
      name: 'a refresh token',
      show: (text) => createVisitor(url).ask(operations.refresh, { input: { refreshToken: text } }),
      isOpened: isAnswered('refresh'),
      opensBy: 'refresh token',
    },
    {
      name: 'a CSRF token',
      show(text) {
        const visitor = createVisitor(url)
        for (const [name, value] of owner.visitor.cookies) visitor.cookies.set(name, value)
        return visitor.ask('mutation { revokeAllSessions(exceptCurrent: true) }', {}, { 'x-csrf-token': text })
      },
      isOpened: isAnswered('revokeAllSessions'),
      opensBy: 'CSRF token',
    },
  ]
}

/** Not with a code or passkey that is right for it: this would be the sign-in itself. */
function answersOf(url: string, { other }: Accounts): readonly Place[] {
  const page = pageAt(url)
  const { app, authenticator } = other
  const sign = async (signed: { readonly challenge?: string } = {}): Promise<string> => {
    const { data } = await createVisitor(url).ask(operations.startPasskey)
    return JSON.stringify(await authenticator.get(JSON.parse(data.startPasskeySignIn.options), signed))
  }
  const finish = (input: object) => createVisitor(url).ask(operations.finishPasskey, { input })
  return [
    {
      name: 'a challenge with the code of another account',
      show: (challenge) => createVisitor(url).ask(operations.verify, { input: { challenge, code: app.nextCode() } }),
      isOpened: isAnswered('verifySecondFactor'),
    },
    {
      name: 'a challenge with the passkey of another account',
      show: async (challenge) => finish({ challenge, response: await sign() }),
      isOpened: isAnswered('finishPasskeySignIn'),
    },
    {
      name: 'the challenge that a passkey of another account signs',
      show: async (challenge) => finish({ response: await sign({ challenge }) }),
      isOpened: isAnswered('finishPasskeySignIn'),
    },
    {
      name: 'a challenge with the code of another account, on a page',
      show: (text) =>
        page('/second-factor', { fields: { code: app.nextCode() }, cookie: `__Host-challenge=totp!${text}` }),
      isOpened: isLedOn,
    },
    {
      name: 'a challenge with the passkey of another account, on a page',
      show: async (text) =>
        page('/passkey', {
          fields: { step: 'second-factor', response: await sign() },
          cookie: `__Host-challenge=passkey!${text}`,
        }),
      isOpened: isLedOn,
    },
  ]
}

function linksOf(url: string): readonly Place[] {
  const page = pageAt(url)
  return [
    {
      name: 'the link of a reset',
      show: (token) => createVisitor(url).ask(operations.reset, { input: { token, newPassword } }),
      isOpened: isAnswered('resetPassword'),
    },
    {
      name: 'the link of a reset, on its page',
      show: (token) => page('/reset', { fields: { token, password: newPassword } }),
      isOpened: isShown,
    },
    {
      name: 'the link of a sign-up',
      show: (token) => createVisitor(url).ask(operations.verifyEmail, { input: { token, password: seedPassword } }),
      isOpened: isAnswered('verifyEmail'),
    },
    {
      name: 'the link of a sign-up in the browser that signed up, on its page',
      show: (token) => page('/verify', { fields: { token }, cookie: `__Host-sign-up=${token}` }),
      isOpened: isShown,
    },
  ]
}

function deviceOf(url: string, { email }: Accounts): Place {
  const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken refreshToken csrfToken } }'
  return {
    name: 'a device that needs the password alone',
    show(text) {
      const input = { email, password: seedPassword, deviceToken: text }
      return createVisitor(url).ask(query, { input }, { cookie: `__Host-device=${text}` })
    },
    isOpened: ({ data }) => Object.values(data?.signIn ?? {}).some((value) => value !== null),
  }
}
