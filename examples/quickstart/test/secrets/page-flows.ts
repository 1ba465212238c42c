import { setTimeout } from 'node:timers/promises'
import { type Answer, createVisitor, type SentForm, visit } from '../support/visitor.ts'
import { askForLinks, type Flows, passwords, plantedName } from './secret-flows.ts'

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
  await resetByPage(flows)
  const page = openBrowser(flows)
  await page.send('/sign-in', { email: owner, password: passwords.wrong }, 401)
  await page.send('/sign-in', { email: owner, password: passwords.second }, 303)
  await changeByPages(page)
  await changeAddressByPages(flows, page)
  await endByPages(flows)
}

async function signUpByPage(flows: Flows): Promise<void> {
  const page = openBrowser(flows)
  await page.open('/sign-up?return_to=/account/passkeys')
  const fields = { name: plantedName, email: owner, password: passwords.first, return_to: '/account/passkeys' }
  await page.send('/sign-up', { ...fields, name: '\u202e' }, 400)
  const [token] = await askForLinks(flows, [{ page: '/app/verify', to: owner }], () => page.send('/sign-up', fields))
  await page.open(`/verify?token=${token}`)
  await page.send('/verify', { token: `${token}x` }, 400)
  await page.send('/verify', { token })
  await page.send('/verify', { token }, 400)
  await page.send('/sign-up', fields)
}

async function resetByPage(flows: Flows): Promise<void> {
  const page = openBrowser(flows)
  await page.open('/reset')
  const [token] = await askForLinks(flows, [{ page: '/app/new-password', to: owner }], () =>
    page.send('/reset', { email: owner, return_to: '/account/passkeys' }),
  )
  await page.open(`/reset?token=${token}`)
  await page.send('/reset', { token, password: 'short' }, 400)
  await page.send('/reset', { token: `${token}x`, password: passwords.second }, 400)
  await page.send('/reset', { token, password: passwords.second })
  await page.open(`/reset?token=${token}`, 400)
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

async function changeAddressByPages(flows: Flows, page: Form): Promise<void> {
  await page.open('/account/email')
  await page.send('/account/email', { email: owner }, 400)
  const [confirm, undo] = await askForLinks(
    flows,
    [
      { page: '/confirm-email-change', to: other },
      { page: '/undo-email-change', to: owner },
    ],
    () => page.send('/account/email', { email: other }),
  )
  const mailbox = openBrowser(flows)
  const follow = async (path: string, followed: string): Promise<void> => {
    await mailbox.open(`${path}?token=${followed}`)
    await mailbox.send(path, { token: `${followed}x` }, 400)
    await mailbox.send(path, { token: followed })
    await mailbox.open(`${path}?token=${followed}`, 400)
  }
  await follow('/confirm-email-change', confirm)
  const [token] = await askForLinks(
    flows,
    [{ page: '/app/new-password', to: owner }],
    () => follow('/undo-email-change', undo),
    () => mailbox.send('/reset', { email: owner }),
  )
  await page.open('/account', 303)
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
