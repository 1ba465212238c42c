import { setTimeout } from 'node:timers/promises'
import { type Answer, createVisitor, type SentForm, visit } from '../support/visitor.ts'
import { type Flows, mailedLink, passwords, plantedName } from './secret-flows.ts'

const owner = 'cora.canary@example.com'
const other = 'cora.elsewhere@example.com'

/** A browser that sends forms, and expects an answer with a status to each. */
interface Form {
  open(path: string, status?: number): Promise<Answer>
  send(path: string, fields: Readonly<Record<string, string>>, status?: number): Promise<Answer>
}

function openBrowser(flows: Flows): Form {
  const visitor = createVisitor(flows.url)
  /** What 503 says: on a busy machine the first connections to a database take longer than a request waits for them. */
  const visitPatiently = async (path: string, form: SentForm): Promise<Answer> => {
    const answer = await visit(visitor, flows, path, form)
    if (answer.status !== 503) return answer
    await setTimeout(100)
    return visitPatiently(path, form)
  }
  const expectStatus = (path: string, answer: Answer, status: number): Answer => {
    if (answer.status === status) return answer
    throw new Error(`${path} was answered ${answer.status} in place of ${status}: ${answer.text}`)
  }
  return {
    open: async (path, status = 200) => expectStatus(path, await visitPatiently(path, {}), status),
    send: async (path, fields, status = 200) => expectStatus(path, await visitPatiently(path, { fields }), status),
  }
}

/** The life of an account by the pages, from sign-up to deletion, with what is refused on the way. */
export async function runPageFlows(flows: Flows): Promise<void> {
  await signUpByPage(flows)
  const used = await resetByPage(flows)
  const page = openBrowser(flows)
  await page.send('/sign-in', { email: owner, password: passwords.wrong }, 401)
  await page.send('/sign-in', { email: owner, password: passwords.second }, 303)
  await changeByPages(page)
  await changeAddressByPages(flows, page, used)
  await endByPages(flows)
}

async function signUpByPage(flows: Flows): Promise<void> {
  const page = openBrowser(flows)
  await page.open('/sign-up?return_to=/account/passkeys')
  const fields = { name: plantedName, email: owner, password: passwords.first, return_to: '/account/passkeys' }
  await page.send('/sign-up', { ...fields, name: '\u202e' }, 400)
  await page.send('/sign-up', fields)
  const token = await mailedLink(flows, '/app/verify', owner)
  await page.open(`/verify?token=${token}`)
  await page.send('/verify', { token: `${token}x` }, 400)
  await page.send('/verify', { token })
  await page.send('/verify', { token }, 400)
  await page.send('/sign-up', fields)
}

/** Returns the link that was used. */
async function resetByPage(flows: Flows): Promise<string> {
  const page = openBrowser(flows)
  await page.open('/reset')
  await page.send('/reset', { email: owner, return_to: '/account/passkeys' })
  const token = await mailedLink(flows, '/app/new-password', owner)
  await page.open(`/reset?token=${token}`)
  await page.send('/reset', { token, password: 'short' }, 400)
  await page.send('/reset', { token: `${token}x`, password: passwords.second }, 400)
  await page.send('/reset', { token, password: passwords.second })
  await page.open(`/reset?token=${token}`, 400)
  return token
}

async function changeByPages(page: Form): Promise<void> {
  for (const path of ['/account', '/devices', '/account/name', '/account/password', '/account/delete']) {
    await page.open(path)
  }
  await page.send('/account/name', { name: plantedName }, 303)
  const fields = { password: passwords.second, new_password: passwords.third }
  await page.send('/account/password', { ...fields, password: passwords.wrong }, 401)
  await page.send('/account/password', { ...fields, new_password: 'short' }, 400)
  await page.send('/account/password', fields)
  await page.send('/confirm-password', { password: passwords.wrong, return_to: '/account/email' }, 401)
  await page.send('/confirm-password', { password: passwords.third, return_to: '/account/email' }, 303)
}

async function changeAddressByPages(flows: Flows, page: Form, used: string): Promise<void> {
  await page.open('/account/email')
  await page.send('/account/email', { email: owner }, 400)
  await page.send('/account/email', { email: other })
  const [confirm, undo] = [
    await mailedLink(flows, '/confirm-email-change', other),
    await mailedLink(flows, '/undo-email-change', owner),
  ]
  const mailbox = openBrowser(flows)
  for (const [path, token] of [
    ['/confirm-email-change', confirm],
    ['/undo-email-change', undo],
  ] as const) {
    await mailbox.open(`${path}?token=${token}`)
    await mailbox.send(path, { token: `${token}x` }, 400)
    await mailbox.send(path, { token })
    await mailbox.open(`${path}?token=${token}`, 400)
  }
  await page.open('/account', 303)
  const token = await mailedLink(flows, '/app/new-password', owner, used)
  await mailbox.send('/reset', { token, password: passwords.first })
}

async function endByPages(flows: Flows): Promise<void> {
  const [page, second] = [openBrowser(flows), openBrowser(flows)]
  for (const { send } of [page, second]) await send('/sign-in', { email: owner, password: passwords.first }, 303)
  await page.open('/devices')
  await page.send('/devices/end-others', {}, 303)
  await second.open('/devices', 303)
  await page.open('/account/export')
  await page.send('/account/export', {})
  await page.send('/account/delete', { email: other }, 400)
  await page.send('/account/delete', { email: owner })
  await page.open('/account', 303)
}
