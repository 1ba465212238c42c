import { unknownAttempt } from '@latchkey/accounts'
import type { Site } from './browser.ts'
import { changeEmail, newBrowser, openMail, type Person, resetPassword, setUpApp, signIn, signUp } from './person.ts'
import { failures, newPassword, password, type WholeService } from './whole-service.ts'

/** Does what every kind of mail is sent after, once. */
export async function causeEveryMail(service: WholeService, site: Site): Promise<void> {
  await signUpTwice(service, site)
  await changePassword(service, site)
  await useFactors(service, site)
  await guess(service, site)
  await linkProvider(service, site)
  await createApiKey(service, site)
  await moveAndLeave(service, site)
  await administer(service, site)
}

async function signUpTwice(service: WholeService, site: Site): Promise<void> {
  const person: Person = { service, site, email: 'twice@example.org', browser: newBrowser(site) }
  const { browser, email } = person
  const other = { ...person, browser: newBrowser(site) }
  for (const name of ['One', 'Two']) {
    await browser.open('/sign-up')
    await browser.send('/sign-up', { name, email, password })
  }
  // In another browser the password does not count.
  await openMail(other, 'contested-address', email)
  await other.browser.send('/verify')
  await openMail(other, 'choose-password', email)
  await browser.send('/sign-up', { name: 'Three', email, password })
}

async function changePassword(service: WholeService, site: Site): Promise<void> {
  const person = await signUp(service, site, 'forgetful@example.org')
  await resetPassword(person)
  await person.browser.open('/sign-in-code')
  await person.browser.send('/sign-in-code', { email: person.email })
  await signIn({ ...person, browser: newBrowser(site) }, newPassword)
}

async function useFactors(service: WholeService, site: Site): Promise<void> {
  const person = await signUp(service, site, 'factors@example.org')
  const app = await setUpApp(person)
  const elsewhere = { ...person, browser: newBrowser(site) }
  await signIn(elsewhere)
  await elsewhere.browser.send('/second-factor', { code: app.recoveryCodes[0] ?? '' })
  await person.browser.open('/account/totp')
  await person.browser.send('/account/totp/remove', { code: app.code() })
}

async function guess(service: WholeService, site: Site): Promise<void> {
  const person = await signUp(service, site, 'guessed@example.org')
  await setUpApp(person)
  const thief = { ...person, browser: newBrowser(site) }
  for (let shown = 0; shown < failures.code; shown++) {
    if (shown % 5 === 0) await signIn(thief)
    await thief.browser.send('/second-factor', { code: '000000' })
  }
  for (let shown = 0; shown < failures.password; shown++) await signIn(thief, 'herons never read at dusk')
}

async function linkProvider(service: WholeService, site: Site): Promise<void> {
  const { browser } = await signUp(service, site, 'linked@example.org')
  await browser.open('/account/providers')
  const leading = await browser.send('/account/providers/one/link')
  const state = /state=(state-\d+)/.exec(leading.text)?.[1]
  await browser.open(`/sign-in/with/one/callback?state=${state}`)
  await browser.open('/account/providers')
  await browser.send('/account/providers/unlink')
}

async function createApiKey(service: WholeService, site: Site): Promise<void> {
  const { browser } = await signUp(service, site, 'program@example.org')
  await browser.open('/account/keys')
  await browser.send('/account/keys', { name: 'Export', 'scope-notes:read': 'yes', days: '30' })
}

async function moveAndLeave(service: WholeService, site: Site): Promise<void> {
  const person = await signUp(service, site, 'moved@example.org')
  const email = await changeEmail(person)
  await person.browser.open('/account/delete')
  await person.browser.send('/account/delete', { email })
}

async function administer(service: WholeService, site: Site): Promise<void> {
  const accounts = await service.server.accounts()
  const person = await signUp(service, site, 'supported@example.org')
  const admin = await signUp(service, site, 'admin@example.org')
  const idOf = async ({ email }: Person) => (await accounts.findByEmail(email))?.id ?? ''
  await accounts.setRoles({ id: await idOf(admin), roles: ['ADMIN'], attempt: unknownAttempt })
  await signIn(admin)
  await setUpApp(admin)
  const input = { accountId: await idOf(person), reason: 'Ticket 4711: the notes are gone' }
  const acted = await admin.browser.ask(
    'mutation ($input: StartImpersonationInput!) { startImpersonation(input: $input) { expiresAt } }',
    { input },
  )
  if (!acted.data) throw new Error(JSON.stringify(acted))
  await admin.browser.open('/account')
  await admin.browser.openAll()
  await admin.browser.send('/impersonation/end')
  await accounts.resetFactors({ id: await idOf(admin), attempt: unknownAttempt })
  await accounts.lockAccount({ id: await idOf(person), attempt: unknownAttempt })
}
