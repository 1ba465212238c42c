import { codeAt } from '@latchkey/test-services'
import { type Browser, createBrowser, type Site } from './browser.ts'
import { newPassword, password, type WholeService } from './whole-service.ts'

/** Somebody with an account, in a browser. */
export interface Person {
  readonly service: WholeService
  readonly site: Site
  readonly email: string
  readonly browser: Browser
}

let addresses = 0

/** Returns a browser at an address of its own. */
export const newBrowser = (site: Site): Browser => createBrowser(site, `203.0.113.${++addresses}`)

/** Opens the newest mail of a kind to an address, and the page behind its link. */
export async function openMail({ service, browser }: Person, kind: string, to: string): Promise<void> {
  await browser.open(await service.mailedLink(kind, to), `the mail ${kind}`)
}

/** Opens an account by the pages, and signs in without saying where to go on. */
export async function signUp(service: WholeService, site: Site, email: string): Promise<Person> {
  const person = { service, site, email, browser: newBrowser(site) }
  await person.browser.open('/sign-up')
  await person.browser.send('/sign-up', { name: 'A Reader', email, password })
  await openMail(person, 'verify-address', email)
  await person.browser.send('/verify')
  await signIn(person)
  return person
}

export async function signIn({ browser, email }: Person, typed = password): Promise<void> {
  await browser.open('/sign-in')
  await browser.send('/sign-in', { email, password: typed })
}

/** An authenticator app and recovery codes. */
export interface App {
  /** What it shows next. */
  readonly code: () => string
  readonly recoveryCodes: readonly string[]
}

export async function setUpApp({ service: { clock }, browser }: Person): Promise<App> {
  await browser.open('/account/totp')
  const { text } = await browser.send('/account/totp/start')
  const secret = /[?&;]secret=([A-Z2-7]+)/.exec(text)?.[1] ?? ''
  const code = () => {
    clock.time += 30_000
    return codeAt(secret, clock.time)
  }
  const confirmed = await browser.send('/account/totp/confirm', { code: code() })
  const shown = /<pre[^>]*>([^<]*)<\/pre>/.exec(confirmed.text)?.[1]
  if (shown === undefined) throw new Error(`no recovery codes: ${confirmed.text}`)
  return { code, recoveryCodes: shown.split('\n') }
}

/** Sets a new password by the link of a mail. */
export async function resetPassword(person: Person, typed = newPassword): Promise<void> {
  const { browser, email } = person
  await browser.open('/reset')
  await browser.send('/reset', { email })
  await openMail(person, 'reset-password', email)
  await browser.send('/reset', { password: typed })
}

/** Changes the address, and returns the new one. */
export async function changeEmail(person: Person): Promise<string> {
  const { browser, email } = person
  const changed = `new-${email}`
  await browser.open('/account/email')
  await browser.send('/account/email', { email: changed })
  await openMail(person, 'confirm-email-change', changed)
  await browser.send('/confirm-email-change')
  return changed
}
