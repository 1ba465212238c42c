import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { password } from '../bench.ts'
import type { Site } from '../browser.ts'

export const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { name, exact: true, level: 1 }).waitFor()
export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()
export const follow = (page: Page, name: string): Promise<void> => page.getByRole('link', { name, exact: true }).click()
/** Fills the field with a label, which is that of no other field. */
export const type = (page: Page, label: string, text: string): Promise<void> =>
  page.getByLabel(label, { exact: true }).fill(text)
export const pathOf = (page: Page): string => page.url().slice(new URL(page.url()).origin.length)

/** Fills the form of the page to sign in, and sends it. */
export async function typePassword(page: Page, email: string, typed: string = password): Promise<void> {
  await type(page, 'Email', email)
  await type(page, 'Password', typed)
  await press(page, 'Sign in')
}

/** Shows the password, on the way to the page of the account. */
export async function showPassword(
  page: Page,
  { url }: Pick<Site, 'url'>,
  email: string,
  typed?: string,
): Promise<void> {
  await page.goto(`${url}/sign-in?return_to=%2Faccount`)
  await typePassword(page, email, typed)
}

/** Signs in, and waits for the page of the account. */
export async function signIn(page: Page, site: Pick<Site, 'url'>, email: string, typed?: string): Promise<void> {
  await showPassword(page, site, email, typed)
  await heading(page, 'Your account')
}

/** Returns the link of the next mail to an address that leads to a page, and takes the mail out of the mailbox. */
export async function mailedLink({ outbox }: Pick<Site, 'outbox'>, to: string, path: string): Promise<string> {
  const find = () =>
    outbox.findIndex(({ to: address, url }) => address === to && url !== null && new URL(url).pathname === path)
  await expect.poll(find).not.toBe(-1)
  return outbox.splice(find(), 1)[0]?.url ?? ''
}

/** Opens the link of a mail as users do: from a page of another site, in another tab of the same browser. */
export async function openMail(page: Page, site: Pick<Site, 'outbox'>, to: string, path: string): Promise<Page> {
  const tab = await page.context().newPage()
  const link = (await mailedLink(site, to, path)).replaceAll('&', '&amp;')
  await tab.setContent(`<!doctype html><title>Mails</title><a href="${link}">Open</a>`)
  await follow(tab, 'Open')
  await tab.waitForURL((url) => url.pathname === path)
  return tab
}

/** What password managers learn of a field. */
export const autocompleteOf = (page: Page, label: string): Promise<string | null> =>
  page.getByLabel(label, { exact: true }).getAttribute('autocomplete')

/** The label of what has the focus, or its text. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const active = document.activeElement
    const label = active?.id ? document.querySelector(`label[for="${active.id}"]`) : null
    return active?.getAttribute('aria-label') ?? (label ?? active)?.textContent ?? ''
  })

/** Waits for that to have the focus: a page that has loaded may give it a moment later, and keys before that are lost. */
export async function awaitFocus(page: Page, what: string): Promise<void> {
  await expect.poll(() => focused(page)).toBe(what)
}

/** Presses Tab until that has the focus. */
export async function tabTo(page: Page, what: string): Promise<void> {
  for (let tabs = 0; tabs < 20 && (await focused(page)) !== what; tabs++) await page.keyboard.press('Tab')
  expect(await focused(page)).toBe(what)
}
