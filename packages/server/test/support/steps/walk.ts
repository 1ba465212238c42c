import type { Page } from 'playwright-core'
import { newPassword, password } from '../bench.ts'
import type { Site } from '../browser.ts'
import { follow, heading, mailedLink, press, signIn, type } from './browser-steps.ts'

/** Looks at a page, which has a name of its own in the walk. */
export type Look = (name: string) => Promise<void>

export interface Walk {
  readonly site: Site
  readonly page: Page
  readonly look: Look
}

/** An address that is as long as addresses are, with nothing in it to break a line at. */
const longAddress = `${'wolfeschlegelsteinhausenbergerdorff'.slice(0, 30)}.${'n'.repeat(30)}@${'long'.repeat(12)}.example.org`

/** Opens an account, and asks for a new password: the pages that anyone sees. */
export async function walkWithoutAccount({ site, page, look }: Walk): Promise<void> {
  const { url } = site
  await page.goto(`${url}/sign-in`)
  await look('sign-in')
  await page.goto(`${url}/sign-up`)
  await look('sign-up')
  await type(page, 'Name', 'Grace')
  await type(page, 'Email', longAddress)
  await type(page, 'Password', 'short')
  await press(page, 'Create account')
  await page.getByRole('alert').waitFor()
  await look('sign-up-refused')
  await type(page, 'Password', password)
  await press(page, 'Create account')
  await heading(page, 'Check your email')
  await look('signed-up')
  const link = await mailedLink(site, longAddress, '/verify')
  await page.context().clearCookies()
  await page.goto(link)
  await look('verify-elsewhere')
  await press(page, 'Confirm email')
  await heading(page, 'Email confirmed')
  await look('verified-without-password')
  await page.goto(link)
  await look('verify-dead')

  const chosen = await mailedLink(site, longAddress, '/reset')
  await page.goto(chosen)
  await look('reset')
  await type(page, 'New password', 'short')
  await press(page, 'Change password')
  await page.getByRole('alert').waitFor()
  await look('reset-refused')
  await type(page, 'New password', newPassword)
  await press(page, 'Change password')
  await heading(page, 'Password changed')
  await look('reset-done')
  await page.goto(chosen)
  await look('reset-dead')
  await follow(page, 'Get a new link')
  await look('reset-request')
  await type(page, 'Email', longAddress)
  await press(page, 'Send link')
  await heading(page, 'Check your email')
  await look('reset-requested')
  for (const path of ['/confirm-email-change', '/undo-email-change']) {
    await page.goto(`${url}${path}?token=none`)
    await look(`${path.slice(1)}-dead`)
  }

  await page.goto(`${url}/sign-up`)
  await type(page, 'Name', 'Ada')
  await type(page, 'Email', 'ada@example.org')
  await type(page, 'Password', password)
  await press(page, 'Create account')
  await page.goto(await mailedLink(site, 'ada@example.org', '/verify'))
  await look('verify')
  await press(page, 'Confirm email')
  await heading(page, 'Email confirmed')
  await look('verified')
}

/** Changes whatever an owner can change, and deletes the account in the end. */
export async function walkOwnAccount({ site, page, look }: Walk, email: string): Promise<void> {
  const { url } = site
  await signIn(page, site, email)
  await look('account')
  await page.goto(`${url}/devices`)
  await look('devices-alone')
  const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0'
  for (const agent of [firefox, `${'unknown'.repeat(30)}/1.0`]) {
    await Object.assign(site.visitor(), { headers: { 'user-agent': agent } }).signIn(email, password)
  }
  await page.reload()
  await look('devices')
  await page.goto(`${url}/account/name`)
  await look('name')
  await type(page, 'Name', 'n'.repeat(101))
  await press(page, 'Save name')
  await page.getByRole('alert').waitFor()
  await look('name-refused')
  await page.goto(`${url}/account/password`)
  await look('password')
  await type(page, 'Current password', 'not the password')
  await type(page, 'New password', newPassword)
  await press(page, 'Change password')
  await page.getByRole('alert').waitFor()
  await look('password-wrong')
  await type(page, 'Current password', password)
  await type(page, 'New password', newPassword)
  await press(page, 'Change password')
  await heading(page, 'Password changed')
  await look('password-changed')

  site.advance(301)
  for (const name of ['email', 'export', 'delete']) {
    await page.goto(`${url}/account/${name}`)
    await look(`${name}-proof`)
  }
  await press(page, 'Confirm it’s you')
  await heading(page, 'Confirm it’s you')
  await look('confirm-password')
  await type(page, 'Password', newPassword)
  await press(page, 'Continue')
  await look('delete')
  await page.goto(`${url}/account/export`)
  await look('export')
  await page.goto(`${url}/account/email`)
  await look('email')
  await type(page, 'New email', email)
  await press(page, 'Change email')
  await page.getByRole('alert').waitFor()
  await look('email-same')
  await changeAddress({ site, page, look }, email)
  await deleteAccount({ site, page, look }, longAddress)
}

async function changeAddress({ site, page, look }: Walk, email: string): Promise<void> {
  const ask = async (to: string) => {
    await page.goto(`${site.url}/account/email`)
    await type(page, 'New email', to)
    await press(page, 'Change email')
    await heading(page, 'Check both inboxes')
  }
  await ask(longAddress)
  await look('email-asked')
  await page.goto(await mailedLink(site, longAddress, '/confirm-email-change'))
  await look('confirm-email-change')
  await press(page, 'Confirm change')
  await heading(page, 'Email changed')
  await look('email-confirmed')
  await page.goto(await mailedLink(site, email, '/undo-email-change'))
  await look('undo-email-change')
  await page.goto(`${site.url}/account`)
  await look('account-with-long-address')
}

async function deleteAccount({ site, page, look }: Walk, email: string): Promise<void> {
  await page.goto(`${site.url}/account/delete`)
  await type(page, 'Your email', 'other@example.org')
  await press(page, 'Delete account')
  await page.getByRole('alert').waitFor()
  await look('delete-refused')
  await type(page, 'Your email', email)
  await press(page, 'Delete account')
  await heading(page, 'Account deleted')
  await look('deleted')
}

/** Undoes a change of address. */
export async function walkUndoing({ site, page, look }: Walk, email: string): Promise<void> {
  await signIn(page, site, email)
  await page.goto(`${site.url}/account/email`)
  await type(page, 'New email', 'elsewhere@example.org')
  await press(page, 'Change email')
  await page.goto(await mailedLink(site, email, '/undo-email-change'))
  await press(page, 'Undo email change')
  await heading(page, 'Email change undone')
  await look('email-undone')
}
