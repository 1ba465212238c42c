import { createPasskeys } from '@latchkey/passkeys'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { password } from '../support/bench.ts'
import { findBarriers, launchBrowser, noBrowser, openPage, openSite, type Site, stepMs } from '../support/browser.ts'

let browser: Browser
beforeAll(async () => {
  if (noBrowser === null) browser = await launchBrowser()
}, stepMs)
afterAll(() => browser?.close())
beforeEach(({ skip }) => {
  if (noBrowser !== null) skip(noBrowser)
})

const factors = { totp: createTotp, passkeys: createPasskeys, recoveryCodes: createRecoveryCodes }
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()

async function signIn(page: Page, { url }: Site, email: string): Promise<void> {
  await page.goto(`${url}/sign-in?return_to=%2Faccount`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Sets an app up from the page of the account, and returns its secret and the recovery codes. */
async function setUpApp(page: Page, site: Site): Promise<{ secret: string; codes: readonly string[] }> {
  await page.getByRole('link', { name: 'Authenticator app' }).click()
  await page.getByRole('button', { name: 'Set up an app' }).click()
  await heading(page, 'Set up an authenticator app')
  const secret = ((await page.getByLabel('Key').textContent()) ?? '').replaceAll(' ', '')
  await page.getByLabel('Code of your authenticator app').fill(codeAt(secret, site.clock.time))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await heading(page, 'Your recovery codes')
  const codes = ((await page.getByLabel('Recovery codes').textContent()) ?? '').trim().split('\n')
  return { secret, codes }
}

/** An authenticator that verifies its user and answers at once. */
async function addAuthenticator(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable', { enableUI: false })
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  })
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Passkeys', exact: true }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'Create the passkey' }).click()
}

describe('second factors in a browser', { timeout: 6 * stepMs }, () => {
  test('an authenticator app is set up, asked for at the next sign-in, and turned off, without scripts', async () => {
    const site = await openSite(factors)
    const { email } = await site.insert({ name: 'Ada' })
    const page = await openPage(browser, { javaScriptEnabled: false })
    await signIn(page, site, email)
    const { secret, codes } = await setUpApp(page, site)
    expect(codes).toHaveLength(10)
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await page.getByText(/Authenticator app: set up on /).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()

    await signIn(page, site, email)
    await heading(page, 'Confirm that it is you')
    expect(page.url()).toBe(`${site.url}/second-factor?return_to=%2Faccount`)
    const code = page.getByLabel('Code of your authenticator app')
    await code.fill(codeAt(secret, site.clock.time))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The code is not right, was used before, or its time is over.').waitFor()
    site.advance(30)
    await code.fill(codeAt(secret, site.clock.time))
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Your account')

    await page.getByRole('link', { name: 'Authenticator app' }).click()
    await page.getByLabel('Code of your authenticator app').fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Turn off the app' }).click()
    await page.getByText('Authenticator app: not set up').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, site, email)
    await heading(page, 'Your account')
  })

  test('a passkey is added, signs in from the list of the field, is renamed and removed', async () => {
    const site = await openSite(factors)
    const { email } = await site.insert()
    const page = await openPage(browser)
    await addAuthenticator(page)
    await signIn(page, site, email)
    await addPasskey(page, 'My <b>laptop')
    await heading(page, 'Your recovery codes')
    await page.getByRole('link', { name: 'I have kept them' }).click()
    // The list of the field answers at once here, because the authenticator needs no gesture.
    const signedIn = page.waitForResponse((response) => response.url() === `${site.url}/passkey`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect((await signedIn).status()).toBe(303)
    await heading(page, 'Your account')
    await page.getByRole('link', { name: 'Passkeys', exact: true }).click()
    await page.getByText('My <b>laptop').waitFor()
    await page.locator('summary').click()
    await page.getByLabel('New name').fill('My <i>watch')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('button', { name: 'Remove My <i>watch' }).click()
    await page.getByText('You have none.').waitFor()
  })

  test('a browser that was to be remembered signs in by the password alone, without scripts', async () => {
    const site = await openSite({ ...factors, rememberDevices: { days: 30 } })
    const { email } = await site.insert()
    const page = await openPage(browser, { javaScriptEnabled: false })
    await signIn(page, site, email)
    const { secret } = await setUpApp(page, site)
    const signOut = async () => {
      await page.goto(`${site.url}/account`)
      await page.getByRole('button', { name: 'Sign out' }).click()
    }
    await signOut()
    await signIn(page, site, email)
    const box = page.getByRole('checkbox', { name: 'Do not ask for it on this device for 30 days' })
    expect(await box.isChecked()).toBe(false)
    await box.check()
    site.advance(30)
    await page.getByLabel('Code of your authenticator app').fill(codeAt(secret, site.clock.time))
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Your account')
    await signOut()
    await signIn(page, site, email)
    await heading(page, 'Your account')
  })

  test('a passkey is the second factor after the password, and signs in alone, by its button', async () => {
    const site = await openSite(factors)
    const { email } = await site.insert()
    const page = await openPage(browser)
    await signIn(page, site, email)
    await heading(page, 'Your account')
    await addAuthenticator(page)
    await addPasskey(page, 'Laptop')
    await heading(page, 'Your recovery codes')
    await page.goto(`${site.url}/account`)
    // Where the browser offers no list, the button does.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false
    })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, site, email)
    await heading(page, 'Confirm that it is you')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await heading(page, 'Your account')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await heading(page, 'Your account')
  })

  test('a change that needs a fresh proof asks for it in between, and comes back', async () => {
    const site = await openSite(factors)
    const { email } = await site.insert()
    const page = await openPage(browser)
    await signIn(page, site, email)
    await heading(page, 'Your account')
    site.advance(301)
    await page.getByRole('link', { name: 'Authenticator app' }).click()
    await page.getByRole('button', { name: 'Set up an app' }).click()
    await page.getByText('What you are about to do asks for your password once more.').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Set up an app' }).waitFor()
    await page.goto(`${site.url}/account`)
    const { secret } = await setUpApp(page, site)
    site.advance(301)
    await page.goto(`${site.url}/account/totp`)
    await page.getByRole('button', { name: 'Set up another app' }).click()
    await page.getByText('What you are about to do asks for your second factor once more.').waitFor()
    await page.getByLabel('Code of your authenticator app').fill(codeAt(secret, site.clock.time))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Set up another app' }).click()
    await heading(page, 'Set up an authenticator app')
  })

  test('at an address of this machine the pages lead to localhost for passkeys', async () => {
    const site = await openSite(factors)
    const page = await openPage(browser)
    await page.goto(`${site.url.replace('localhost', '127.0.0.1')}/sign-in?return_to=%2Faccount`)
    await page.getByText('Passkeys work at localhost').waitFor()
    await page.getByRole('link', { name: 'localhost' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    expect(page.url()).toBe(`${site.url}/sign-in?return_to=%2Faccount`)
  })

  test('all of it is done by keyboard alone', async () => {
    const site = await openSite(factors)
    const { email } = await site.insert()
    const page = await openPage(browser)
    const tabTo = async (text: string): Promise<void> => {
      const read = () =>
        page.evaluate(() => {
          const element = document.activeElement
          return element?.getAttribute('aria-label') ?? element?.getAttribute('name') ?? element?.textContent ?? ''
        })
      for (let tabs = 0; (await read()) !== text; tabs++) {
        if (tabs > 20) throw new Error(`the keyboard does not reach ${text}`)
        await page.keyboard.press('Tab')
      }
    }
    await page.goto(`${site.url}/sign-in?return_to=%2Faccount`)
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await heading(page, 'Your account')
    await tabTo('Authenticator app')
    await page.keyboard.press('Enter')
    await heading(page, 'Authenticator app')
    await tabTo('Set up an app')
    await page.keyboard.press('Enter')
    await heading(page, 'Set up an authenticator app')
    const secret = ((await page.getByLabel('Key').textContent()) ?? '').replaceAll(' ', '')
    await tabTo('code')
    await page.keyboard.type(codeAt(secret, site.clock.time))
    await page.keyboard.press('Enter')
    await heading(page, 'Your recovery codes')
    await tabTo('Recovery codes')
    await tabTo('I have kept them')
    await page.keyboard.press('Enter')
    await heading(page, 'Your account')
    await addAuthenticator(page)
    await tabTo('Passkeys')
    await page.keyboard.press('Enter')
    await heading(page, 'Passkeys')
    await tabTo('name')
    await page.keyboard.type('Keyboard')
    await page.keyboard.press('Enter')
    await heading(page, 'Add a passkey')
    await tabTo('Create the passkey')
    await page.keyboard.press('Enter')
    await page.getByText('Keyboard').waitFor()
    await tabTo('Remove')
    await page.keyboard.press('Enter')
    await page.getByText('You have none.').waitFor()
  })

  test('an account that must have a second factor is led to set one up, by keyboard, and then goes on', async () => {
    const site = await openSite({ ...factors, secondFactor: { required: 'all', graceSeconds: 0 } })
    const { email } = await site.insert()
    const page = await openPage(browser, { javaScriptEnabled: false })
    await signIn(page, site, email)
    await page.getByText('Your account needs a second factor. Set one up here to go on.').waitFor()
    const { secret } = await setUpApp(page, site)
    await page.getByRole('link', { name: 'I have kept them' }).press('Enter')
    await heading(page, 'Your account')
    expect(await page.getByText('needs a second factor').count()).toBe(0)
    await page.getByRole('button', { name: 'Sign out' }).press('Enter')
    site.advance(30)
    await signIn(page, site, email)
    await page.getByLabel('Code of your authenticator app').fill(codeAt(secret, site.clock.time))
    await page.keyboard.press('Enter')
    await heading(page, 'Your account')
  })

  test('what is said of a factor that is due, and of too many attempts, has no barriers that axe-core knows', async () => {
    const site = await openSite({ ...factors, secondFactor: { required: 'all', graceSeconds: 86_400 } })
    const { email } = await site.insert()
    const page = await openPage(browser)
    await signIn(page, site, email)
    await page.getByText('needs a second factor').waitFor()
    expect(await findBarriers(page)).toEqual([])
    site.advance(86_400)
    await page.goto(`${site.url}/account`)
    await signIn(page, site, email)
    await page.getByText('Set one up here to go on.').waitFor()
    expect(await findBarriers(page)).toEqual([])
    const stranger = await openPage(browser)
    for (let guessed = 0; guessed <= 5; guessed++) {
      await stranger.goto(`${site.url}/sign-in`)
      await stranger.getByLabel('E-mail').fill('ada@example.com')
      await stranger.getByLabel('Password').fill('herons never read at dusk')
      await stranger.getByRole('button', { name: 'Sign in', exact: true }).click()
      await stranger.waitForLoadState()
    }
    await heading(stranger, 'Too many attempts')
    expect(await findBarriers(stranger)).toEqual([])
  })

  test('have no barriers that axe-core knows, in light and dark and at the width of a phone', async () => {
    const site = await openSite({ ...factors, rememberDevices: { days: 30 }, pages: { name: 'Notes' } })
    const { email } = await site.insert()
    const page = await openPage(browser)
    const audit = async (path?: string) => {
      if (path !== undefined) await page.goto(`${site.url}${path}`)
      expect([page.url(), await findBarriers(page)]).toEqual([page.url(), []])
    }
    await audit('/sign-in')
    await signIn(page, site, email)
    await heading(page, 'Your account')
    for (const path of ['/account', '/account/totp', '/account/passkeys', '/confirm-password']) await audit(path)
    await page.goto(`${site.url}/account/totp`)
    await page.getByRole('button', { name: 'Set up an app' }).click()
    await heading(page, 'Set up an authenticator app')
    await audit()
    await page.getByLabel('Code of your authenticator app').fill('000000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('alert').waitFor()
    await audit()
    await page.goto(`${site.url}/account`)
    const { secret } = await setUpApp(page, site)
    await audit()
    await addAuthenticator(page)
    await page.goto(`${site.url}/account`)
    await page.getByRole('link', { name: 'Passkeys', exact: true }).click()
    await page.getByLabel('Name').fill('Laptop')
    await page.getByRole('button', { name: 'Add' }).click()
    await heading(page, 'Add a passkey')
    await audit()
    await page.getByRole('button', { name: 'Create the passkey' }).click()
    await page.getByText('Laptop').waitFor()
    for (const path of ['/account', '/account/totp', '/account/passkeys', '/account/recovery-codes']) await audit(path)
    await page.goto(`${site.url}/account`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    const other = await openPage(browser)
    await signIn(other, site, email)
    await heading(other, 'Confirm that it is you')
    expect(await findBarriers(other)).toEqual([])
    await other.getByLabel('Code of your authenticator app').fill(codeAt(secret, 0))
    await other.getByRole('button', { name: 'Continue' }).click()
    await other.getByText('The code is not right').waitFor()
    expect(await findBarriers(other)).toEqual([])
  })
})
