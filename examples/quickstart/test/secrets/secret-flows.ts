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
  const used = await changeAddress(flows)
  const codes = await showFactors(flows)
  await showRecoveryCode(flows, codes)
  await openPages(flows)
  await resetPassword(flows, used)
  await failStores(flows)
}

const patient = ({ url }: Flows): Visitor => createVisitor(url, { isPatient: true })

type LinkedPage = '/app/verify' | '/app/new-password' | '/confirm-email-change' | '/undo-email-change'

/** Returns the token of the last mail that leads to a page and was not used yet, and remembers those of all. */
export async function mailedLink(
  { service, canaries }: Flows,
  page: LinkedPage,
  to = email,
  used = '',
): Promise<string> {
  for (;;) {
    const links = (await service.mailsTo(to)).flatMap(({ url }) => (url === null ? [] : [new URL(url)]))
    for (const { pathname, searchParams } of links) canaries.add(`the link to ${pathname}`, searchParams.get('token'))
    const token = links.findLast(({ pathname }) => pathname === page)?.searchParams.get('token')
    if (token && token !== used) return token
    await setTimeout(20)
  }
}

async function openAccount(flows: Flows): Promise<void> {
  const visitor = patient(flows)
  const input = { email, password: passwords.first, name: plantedName }
  dataOf(await visitor.ask(signUp, { input }))
  dataOf(await visitor.ask(signUp, { input }))
  const token = await mailedLink(flows, '/app/verify')
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

/** Returns the link to choose a password that it has used: an undone change leaves none. */
async function changeAddress(flows: Flows): Promise<string> {
  const visitor = patient(flows)
  dataOf(await visitor.signIn(email, 'SESSION', passwords.first))
  dataOf(
    await visitor.ask('mutation ($name: String!) { changeName(input: { name: $name }) { id } }', { name: plantedName }),
  )
  dataOf(await visitor.ask('mutation { exportAccount }'))
  const newEmail = `new.${email}`
  dataOf(await visitor.ask(`mutation { requestEmailChange(input: { newEmail: "${newEmail}" }) }`))
  const [confirm, undo] = [
    await mailedLink(flows, '/confirm-email-change', newEmail),
    await mailedLink(flows, '/undo-email-change'),
  ]
  await visitor.ask('mutation ($t: String!) { confirmEmailChange(input: { token: $t }) }', { t: `${confirm}x` })
  dataOf(await visitor.ask('mutation ($t: String!) { confirmEmailChange(input: { token: $t }) }', { t: confirm }))
  dataOf(await patient(flows).ask('mutation ($t: String!) { undoEmailChange(input: { token: $t }) }', { t: undo }))
  const token = await mailedLink(flows, '/app/new-password')
  dataOf(await patient(flows).ask(operations.reset, { input: { token, newPassword: passwords.first } }))
  return token
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

async function resetPassword(flows: Flows, used: string): Promise<void> {
  const visitor = patient(flows)
  dataOf(await visitor.ask(requestReset, { input: { email } }))
  const token = await mailedLink(flows, '/app/new-password', email, used)
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
