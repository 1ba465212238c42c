import type { SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { keep, operations } from './factor-bench.ts'
import { ownForm } from './forms.ts'
import { type Answer, type Delivery, deliveries, saysRestricted, type Visitor } from './visitor.ts'

/** What was answered, and the challenge that it leads to. */
export interface Shown {
  readonly answer: Answer
  readonly challenge: string | null
}

/** A code or a passkey, and the challenge that it answers. `null`: there is none. */
interface Answering {
  readonly challenge: string | null
  /** Asks for the device to be remembered. */
  readonly isRemembering?: boolean
}

/** A code of a mail, and what it works beside. */
export interface MailedCode {
  readonly email: string
  readonly code: string
  /** That of an application outside browsers; `null`: it is in a cookie. */
  readonly challenge: string | null
}

/** How users sign in: by operations, with one of the deliveries, or by the pages. */
export interface Way {
  readonly name: string
  /** Whether it sends forms. */
  readonly isPages: boolean
  readonly delivery: Delivery
  signIn(visitor: Visitor, email: string, password: string): Promise<Shown>
  /** Sends a factor together with the password: nothing takes both at once. */
  signInWith(visitor: Visitor, email: string, password: string, factor: FactorText): Promise<Shown>
  confirmPassword(visitor: Visitor, password: string): Promise<Shown>
  requestReset(visitor: Visitor, email: string): Promise<Shown>
  /** Shows the link of a mail, and a new password. */
  reset(visitor: Visitor, token: string, newPassword: string): Promise<Shown>
  showCode(visitor: Visitor, code: string, answering: Answering): Promise<Shown>
  /** Asks for a mail with a code, and returns what it works beside, where that is no cookie. */
  askForMail(visitor: Visitor, email: string): Promise<string | null>
  showMailedCode(visitor: Visitor, mailed: MailedCode): Promise<Shown>
  /** Returns what an authenticator is asked, or `null` where nothing may begin. */
  startPasskey(visitor: Visitor, answering: Answering): Promise<object | null>
  finishPasskey(visitor: Visitor, response: string, answering: Answering): Promise<Shown>
  /** Asks for what needs a fresh proof by any factor. */
  askForProof(visitor: Visitor): Promise<Shown>
  /** Asks for what is of the account. */
  goOn(visitor: Visitor): Promise<Shown>
  /** Asks for what is open only to an account that has set up what it must. */
  askForMore(visitor: Visitor): Promise<Shown>
  /** Whether an answer says that a second factor must be set up first. */
  saysRestricted(answer: Answer): boolean
}

/** What is shown as a factor. */
export type FactorText =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly response: string }
  | { readonly mailed: MailedCode }

const delivered = 'status accessToken refreshToken csrfToken challenge'
const confirm = `mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { ${delivered} } }`
const remember = `mutation ($input: VerifySecondFactorInput!) {
  verifySecondFactor(input: $input) { ${delivered} trustedDeviceToken }
}`
const askForMail = `mutation ($input: RequestSignInCodeInput!) { requestSignInCode(input: $input) { challenge } }`
const signInByMail = `mutation ($input: SignInWithCodeInput!) { signInWithCode(input: $input) { ${delivered} } }`
const requestReset = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'
const reset = 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }'
const noPasskey = { id: 'none', name: 'Laptop' }
const bothInOne = (second: string) =>
  `mutation ($first: SignInInput!, $second: ${second}!) {
    signIn(input: $first) { ${delivered} }
    second: ${second.charAt(0).toLowerCase()}${second.slice(1, -5)}(input: $second) { ${delivered} }
  }`

/** No challenge that was ever given out. */
const unknown = `factor_${'A'.repeat(22)}.${'A'.repeat(43)}`

function byOperations(delivery: Delivery): Way {
  const presentedBy = (visitor: Visitor, answer: Answer): Shown => {
    const [payload] = Object.values(answer.data ?? {}) as (Record<string, string> | null)[]
    if (payload?.status === 'SIGNED_IN') keep(visitor, payload)
    const challenge = payload?.challenge ?? answer.errors[0]?.extensions.challenge
    return { answer, challenge: typeof challenge === 'string' ? challenge : null }
  }
  const ask = async (visitor: Visitor, query: string, variables = {}): Promise<Shown> =>
    presentedBy(visitor, await visitor.ask(query, variables))
  return {
    name: delivery,
    isPages: false,
    delivery,
    signIn: async (visitor, email, password) => presentedBy(visitor, await visitor.signIn(email, password, delivery)),
    async signInWith(visitor, email, password, factor) {
      const first = { email, password, delivery }
      if ('password' in factor) {
        return ask(visitor, bothInOne('SignInInput'), { first, second: { email, password: factor.password } })
      }
      if ('mailed' in factor) {
        return ask(visitor, bothInOne('SignInWithCodeInput'), { first, second: { ...factor.mailed, delivery } })
      }
      const named = 'response' in factor ? 'FinishPasskeySignInInput' : 'VerifySecondFactorInput'
      const second = { ...factor, challenge: unknown, delivery }
      return ask(visitor, bothInOne(named), { first, second })
    },
    confirmPassword: (visitor, currentPassword) => ask(visitor, confirm, { input: { currentPassword } }),
    requestReset: (visitor, email) => ask(visitor, requestReset, { input: { email } }),
    reset: (visitor, token, newPassword) => ask(visitor, reset, { input: { token, newPassword } }),
    async showCode(visitor, code, { challenge, isRemembering = false }) {
      const input = { challenge: challenge ?? unknown, code, delivery }
      if (!isRemembering) return ask(visitor, operations.verify, { input })
      const shown = await ask(visitor, remember, { input: { ...input, trustDevice: true } })
      visitor.trustedDeviceToken = shown.answer.data?.verifySecondFactor.trustedDeviceToken ?? null
      return shown
    },
    async askForMail(visitor, email) {
      const { data } = await visitor.ask(askForMail, { input: { email, delivery } })
      return data.requestSignInCode.challenge
    },
    showMailedCode: (visitor, mailed) => ask(visitor, signInByMail, { input: { ...mailed, delivery } }),
    async startPasskey(visitor, { challenge }) {
      const { data } = await visitor.ask(operations.startPasskey, { input: { challenge } })
      return data ? JSON.parse(data.startPasskeySignIn.options) : null
    },
    finishPasskey: (visitor, response, { challenge }) =>
      ask(visitor, operations.finishPasskey, { input: { response, challenge, delivery } }),
    askForProof: (visitor) => ask(visitor, operations.enroll),
    goOn: (visitor) => ask(visitor, operations.viewer),
    askForMore: (visitor) => ask(visitor, operations.rename, { input: noPasskey }),
    saysRestricted,
  }
}

const pending = '__Host-challenge'

function byPages(): Way {
  const presentedBy = (visitor: Visitor, answer: Answer): Shown => ({
    answer,
    challenge: visitor.jar.get(pending) ?? null,
  })
  const send = async (visitor: Visitor, path: string, fields: Readonly<Record<string, string>> = {}): Promise<Shown> =>
    presentedBy(visitor, await visitor.post(path, { return_to: '/account', ...fields }, ownForm))
  /** Between two pages the challenge is in a cookie. */
  const answer = (visitor: Visitor, challenge: string | null): void => {
    if (challenge === null) visitor.jar.delete(pending)
    else visitor.jar.set(pending, challenge)
  }
  const stepOf = (challenge: string | null): string => (challenge === null ? 'sign-in' : 'second-factor')
  return {
    name: 'the pages',
    isPages: true,
    delivery: 'SESSION',
    signIn: (visitor, email, password) => send(visitor, '/sign-in', { email, password }),
    async signInWith(visitor, email, password, factor) {
      const twice = 'password' in factor ? `&password=${encodeURIComponent(factor.password)}` : ''
      const given = 'mailed' in factor ? { code: factor.mailed.code } : factor
      const fields = new URLSearchParams({ return_to: '/account', ...given, email, password })
      const headers = { ...ownForm, 'content-type': 'application/x-www-form-urlencoded' }
      return presentedBy(visitor, await visitor.postText('/sign-in', `${fields}${twice}`, headers))
    },
    confirmPassword: (visitor, password) => send(visitor, '/confirm-password', { password }),
    requestReset: (visitor, email) => send(visitor, '/reset', { email }),
    reset: (visitor, token, newPassword) => send(visitor, '/reset', { token, password: newPassword }),
    showCode(visitor, code, { challenge, isRemembering = false }) {
      answer(visitor, challenge)
      return send(visitor, '/second-factor', { code, ...(isRemembering && { remember: 'yes' }) })
    },
    async askForMail(visitor, email) {
      await send(visitor, '/sign-in-code', { email })
      return null
    },
    showMailedCode: (visitor, { email, code }) => send(visitor, '/sign-in-code', { email, code }),
    async startPasskey(visitor, { challenge }) {
      answer(visitor, challenge)
      const { answer: started } = await send(visitor, '/passkey/start', { step: stepOf(challenge) })
      return started.status === 200 ? JSON.parse(started.text) : null
    },
    finishPasskey(visitor, response, { challenge }) {
      answer(visitor, challenge)
      return send(visitor, '/passkey', { step: stepOf(challenge), response })
    },
    askForProof: (visitor) => send(visitor, '/account/totp/start'),
    goOn: async (visitor) => presentedBy(visitor, await visitor.get('/account')),
    askForMore: (visitor) => send(visitor, '/account/passkeys/rename', noPasskey),
    saysRestricted: ({ status, headers }) => status === 303 && headers.get('location') === '/account',
  }
}

export const ways: readonly Way[] = [...deliveries.map(byOperations), byPages()]

/** Those of operations, for tables of tests. */
export const operating = ways.filter(({ isPages }) => !isPages).map((way) => [way.name, way] as const)

/** Whether something of the account is seen. */
export async function isOpen(way: Way, visitor: Visitor): Promise<boolean> {
  return (await way.goOn(visitor)).answer.status === 200
}

/** Whether a second factor must be set up before anything else is done. */
export async function isRestricted(way: Way, visitor: Visitor): Promise<boolean> {
  return way.saysRestricted((await way.askForMore(visitor)).answer)
}

/** What an authenticator answers to a ceremony that has begun; no answer where nothing may begin. */
export async function respond(
  options: object | null,
  authenticator: SoftwareAuthenticator,
  { isForged = false } = {},
): Promise<string> {
  return options === null ? '{}' : JSON.stringify(await authenticator.get(options as never, { isForged }))
}
