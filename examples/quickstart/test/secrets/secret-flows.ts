import { setTimeout } from 'node:timers/promises'
import {
  confirmApp,
  dataOf,
  enrollPasskey,
  operations,
  renewCsrfToken,
  signWithPasskey,
  startApp,
} from '../support/second-factors.ts'
import type { Quickstart } from '../support/start-quickstart.ts'
import { type Answer, createVisitor, type Delivery, keep, type Visitor, visit } from '../support/visitor.ts'
import type { Canaries } from './canaries.ts'

export const passwords = {
  first: 'canary hums along at dawn',
  wrong: 'canary sleeps until at noon',
  second: 'canary reads a book at dusk',
  third: 'canary counts the seven hills',
} as const
export const email = 'cara.canary@example.com'
/** A name that has nothing secret: it is found wherever an account is. */
export const plantedName = 'Planted-Name-4711'

const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
const confirm = 'mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { status csrfToken } }'
const change = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }'
const requestReset = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'
const refresh = 'mutation ($input: RefreshInput) { refresh(input: $input) { accessToken expiresIn refreshToken } }'
const deliveries: readonly Delivery[] = ['SESSION', 'TOKEN', 'NATIVE']

export interface Flows {
  readonly service: Quickstart
  readonly url: string
  readonly publicUrl: string
  readonly canaries: Canaries
  /** Runs something while every store that has accounts answers nothing. */
  whileStoresFail<T>(run: () => Promise<T>): Promise<T>
}

/** Everything that an account can do by operations, and what can be refused on the way, once. */
export async function runAllFlows(flows: Flows): Promise<void> {
  await openAccount(flows)
  for (const delivery of deliveries) await signInBy(flows, delivery)
  await changeAddress(flows)
  const codes = await showFactors(flows)
  await showRecoveryCode(flows, codes)
  await openPages(flows)
  await resetPassword(flows)
  await failStores(flows)
}

const patient = ({ url }: Flows): Visitor => createVisitor(url, { isPatient: true })

type LinkedPage = '/app/verify' | '/app/new-password' | '/confirm-email-change' | '/undo-email-change'

/** The mails of a person that lead to a page. */
interface LinkedMail {
  readonly page: LinkedPage
  /** @default the person of all operations */
  readonly to?: string
}

async function tokensOf({ service, canaries }: Flows, { page, to = email }: LinkedMail): Promise<readonly string[]> {
  const links = (await service.mailsTo(to)).flatMap(({ url }) => (url === null ? [] : [new URL(url)]))
  for (const { pathname, searchParams } of links) canaries.add(`the link to ${pathname}`, searchParams.get('token'))
  return links.flatMap(({ pathname, searchParams }) => (pathname === page ? [searchParams.get('token') ?? ''] : []))
}

const mailMs = 15_000

/**
 * Asks for mails and returns the token of each. A mail is lost if a store answers it too late, as on a busy machine, so
 * the person asks again, three times at most.
 */
export async function askForLinks<const Mails extends readonly LinkedMail[]>(
  flows: Flows,
  mails: Mails,
  ask: () => Promise<unknown>,
  askAgain = ask,
): Promise<{ readonly [Index in keyof Mails]: string }> {
  const readAll = () => Promise.all(mails.map((mail) => tokensOf(flows, mail)))
  for (const asking of [ask, askAgain, askAgain]) {
    const before = new Set((await readAll()).flat())
    await asking()
    for (const until = Date.now() + mailMs; Date.now() < until; await setTimeout(20)) {
      const tokens = (await readAll()).map((all) => all.findLast((token) => !before.has(token)))
      if (!tokens.includes(undefined)) return tokens as { readonly [Index in keyof Mails]: string }
    }
  }
  throw new Error(`no mail leads to ${mails.map(({ page }) => page).join(' or ')}`)
}

async function openAccount(flows: Flows): Promise<void> {
  const visitor = patient(flows)
  const input = { email, password: passwords.first, name: plantedName }
  const ask = async (): Promise<unknown> => dataOf(await visitor.ask(signUp, { input }))
  await ask()
  const [token] = await askForLinks(flows, [{ page: '/app/verify' }], ask)
  await visitor.ask(operations.verifyEmail, { input: { token: `${token}x`, password: passwords.first } })
  await visit(visitor, flows, `/verify?token=${token}`)
  dataOf(await visitor.ask(operations.verifyEmail, { input: { token, password: passwords.first } }))
  await visitor.ask(operations.verifyEmail, { input: { token, password: passwords.first } })
}

async function signInBy(flows: Flows, delivery: Delivery): Promise<void> {
  const visitor = patient(flows)
  await visitor.signIn(email, delivery, passwords.wrong)
  dataOf(await visitor.signIn(email, delivery, passwords.first))
  dataOf(await visitor.ask('{ viewer { id name } sessions { id kind userAgent } }'))
  await visitor.ask('mutation { setRole(input: { accountId: "acc_none", role: ADMIN }) { id } }')
  await visitor.ask(confirm, { input: { currentPassword: passwords.wrong } })
  await visitor.ask(change, { input: { currentPassword: passwords.wrong, newPassword: passwords.second } })
  await visitor.ask(
    `mutation { changePassword(input: { currentPassword: "${passwords.first}", newPassword: "${passwords.second}`,
  )
  if (delivery !== 'SESSION') {
    const { refreshToken } = visitor
    const input = delivery === 'NATIVE' ? { refreshToken } : null
    keep(visitor, { ...visitor, ...dataOf(await visitor.ask(refresh, { input })).refresh, csrfToken: undefined })
    await visitor.ask(refresh, { input: { refreshToken: 'rt_AAAAAAAAAAAAAAAAAAAAAA.none' } })
  }
  await visitor.ask('{ viewer { id } }', {}, { authorization: `Bearer ${visitor.bearer ?? ''}x` })
  dataOf(await visitor.ask('mutation { signOut }'))
  await visitor.ask('{ viewer { id } }')
}

/** An undone change leaves no password, so a link leads to a new one. */
async function changeAddress(flows: Flows): Promise<void> {
  const visitor = patient(flows)
  dataOf(await visitor.signIn(email, 'SESSION', passwords.first))
  dataOf(
    await visitor.ask('mutation ($name: String!) { changeName(input: { name: $name }) { id } }', { name: plantedName }),
  )
  dataOf(await visitor.ask('mutation { exportAccount }'))
  const newEmail = `new.${email}`
  const [confirm, undo] = await askForLinks(
    flows,
    [{ page: '/confirm-email-change', to: newEmail }, { page: '/undo-email-change' }],
    async () => dataOf(await visitor.ask(`mutation { requestEmailChange(input: { newEmail: "${newEmail}" }) }`)),
  )
  await visitor.ask('mutation ($t: String!) { confirmEmailChange(input: { token: $t }) }', { t: `${confirm}x` })
  dataOf(await visitor.ask('mutation ($t: String!) { confirmEmailChange(input: { token: $t }) }', { t: confirm }))
  const [token] = await askForLinks(
    flows,
    [{ page: '/app/new-password' }],
    async () =>
      dataOf(await patient(flows).ask('mutation ($t: String!) { undoEmailChange(input: { token: $t }) }', { t: undo })),
    async () => dataOf(await patient(flows).ask(requestReset, { input: { email } })),
  )
  dataOf(await patient(flows).ask(operations.reset, { input: { token, newPassword: passwords.first } }))
}

async function showFactors(flows: Flows): Promise<readonly string[]> {
  const { canaries } = flows
  const visitor = patient(flows)
  dataOf(await visitor.signIn(email, 'SESSION', passwords.first))
  dataOf(await visitor.ask(confirm, { input: { currentPassword: passwords.first } }))
  await renewCsrfToken(visitor)
  const inner = await startApp(visitor)
  const app = { nextCode: (skewMs?: number) => remember(canaries, inner.nextCode(skewMs)) }
  await visitor.ask(operations.confirm, { input: { code: '12345' } })
  const { codes } = dataOf(await confirmApp(visitor, app)).confirmTotpEnrollment
  await renewCsrfToken(visitor)
  const { authenticator } = await enrollPasskey(visitor)
  dataOf(await visitor.ask('mutation { signOut }'))
  // The app has no third code within a minute and a half.
  const shown = [app.nextCode(), ...codes.slice(1, 3)]
  for (const [index, delivery] of deliveries.entries()) {
    const next = patient(flows)
    const { challenge } = dataOf(await next.signIn(email, delivery, passwords.first)).signIn
    const code = shown[index]
    await next.ask(operations.verify, { input: { challenge, code: '000000', delivery } })
    const answer = await next.ask(operations.verify, { input: { challenge, code, delivery } })
    keep(next, dataOf(answer).verifySecondFactor)
    // A code that was accepted is refused.
    await next.ask(operations.verify, { input: { challenge, code, delivery } })
    dataOf(await next.ask('mutation { signOut }'))
  }
  const next = patient(flows)
  const response = await signWithPasskey(next, authenticator)
  keep(next, dataOf(await next.ask(operations.finishPasskey, { input: { response } })).finishPasskeySignIn)
  await next.ask(operations.finishPasskey, { input: { response } })
  dataOf(await next.ask('mutation { signOut }'))
  return codes
}

function remember(canaries: Canaries, code: string): string {
  canaries.add('a code of the app', code)
  return code
}

async function showRecoveryCode(flows: Flows, [code]: readonly string[]): Promise<void> {
  const visitor = patient(flows)
  const { challenge } = dataOf(await visitor.signIn(email, 'SESSION', passwords.first)).signIn
  await visitor.ask(operations.verify, { input: { challenge, code: '0000-0000-0000-0000' } })
  keep(visitor, dataOf(await visitor.ask(operations.verify, { input: { challenge, code } })).verifySecondFactor)
  await visitor.ask(change, { input: { currentPassword: passwords.first, newPassword: 'short' } })
  dataOf(await visitor.ask(change, { input: { currentPassword: passwords.first, newPassword: passwords.second } }))
}

async function openPages(flows: Flows): Promise<void> {
  const visitor = createVisitor(flows.url)
  await visit(visitor, flows, '/sign-in', { fields: { email, password: passwords.wrong } })
  await visit(visitor, flows, '/sign-in', { fields: { email, password: passwords.second } })
  await visit(visitor, flows, '/second-factor')
  await visit(visitor, flows, '/second-factor', { fields: { code: '000000' } })
  await visit(visitor, flows, '/account')
}

async function resetPassword(flows: Flows): Promise<void> {
  const visitor = patient(flows)
  const [token] = await askForLinks(flows, [{ page: '/app/new-password' }], async () =>
    dataOf(await visitor.ask(requestReset, { input: { email } })),
  )
  await visit(visitor, flows, `/reset?token=${token}`)
  await visitor.ask(operations.reset, { input: { token, newPassword: 'short' } })
  dataOf(await visitor.ask(operations.reset, { input: { token, newPassword: passwords.third } }))
  await visitor.ask(operations.reset, { input: { token, newPassword: passwords.third } })
}

const linkOfNobody = `verify_${'A'.repeat(22)}.${'A'.repeat(43)}`

async function failStores(flows: Flows): Promise<void> {
  const visitor = patient(flows)
  await visitor.signIn(email, 'SESSION', passwords.third)
  const failed = await flows.whileStoresFail(() => refusedMeanwhile(flows, visitor))
  if (!failed.some(({ status }) => status === 503)) throw new Error('no store has failed')
}

async function refusedMeanwhile({ url }: Flows, member: Visitor): Promise<readonly Answer[]> {
  const hasty = createVisitor(url)
  const signedIn = Object.assign(createVisitor(url), { cookies: member.cookies, csrfToken: member.csrfToken })
  return [
    await hasty.signIn(email, 'NATIVE', passwords.third),
    await hasty.ask(operations.verifyEmail, { input: { token: linkOfNobody, password: passwords.first } }),
    await signedIn.ask('{ viewer { id } }'),
    await signedIn.ask(change, { input: { currentPassword: passwords.third, newPassword: passwords.second } }),
  ]
}
