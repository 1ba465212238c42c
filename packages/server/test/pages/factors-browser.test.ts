import { setTimeout } from 'node:timers/promises'
import { createPasskeys } from '@latchkey/passkeys'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { password } from '../support/bench.ts'
import { findBarriers, openPage, openSite, stepMs, useBrowser } from '../support/browser.ts'
import { awaitFocus, heading, showPassword, tabTo } from '../support/steps/browser-steps.ts'
import { addAuthenticator, codeLabel, presentedSecret, setUpApp } from '../support/steps/factor-steps.ts'

const browser = useBrowser()

const factors = { signIn: { totp: createTotp, passkeys: createPasskeys, recoveryCodes: createRecoveryCodes } }

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Passkeys', exact: true }).click()
  await page.getByLabel('Passkey name').fill(name)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('button', { name: 'Create passkey' }).click()
}

interface PasskeyRequest {
  readonly how: 'offer' | 'dialog'
  isEnded: boolean
}

/** Opens /sign-in, which offers a passkey at once. */
async function openOffer(): Promise<{
  readonly page: Page
  readonly requests: readonly PasskeyRequest[]
  readonly cancelDialog: () => Promise<void>
}> {
  const site = await openSite(factors)
  const page = await openPage(browser())
  const requests = await watchRequests(page)
  await page.goto(`${site.url}/sign-in`)
  await expect.poll(() => requests.length).toBe(1)
  return { page, requests, cancelDialog: () => page.evaluate('cancelDialog()') }
}

/** Gives a page a clock of the test and an authenticator that nobody touches, and returns what this is asked for. */
async function watchRequests(page: Page): Promise<readonly PasskeyRequest[]> {
  const requests: PasskeyRequest[] = []
  await addAuthenticator(page, { isTouched: false })
  await page.clock.install()
  await page.exposeFunction('noteAsked', (how: 'offer' | 'dialog') => requests.push({ how, isEnded: false }) - 1)
  await page.exposeFunction('noteEnded', (index: number) => {
    const request = requests[index]
    if (request) request.isEnded = true
  })
  await page.addInitScript(watchPasskeys)
  return requests
}

/** Runs in the page: the dialog of this browser has no button that a test could press. */
const watchPasskeys = `{
  const get = navigator.credentials.get.bind(navigator.credentials)
  navigator.credentials.get = async (options) => {
    const index = await noteAsked(options.mediation === 'conditional' ? 'offer' : 'dialog')
    const cancelled = new Promise((_, reject) => {
      globalThis.cancelDialog = () => reject(new DOMException('cancelled', 'NotAllowedError'))
    })
    return Promise.race([get(options), cancelled]).finally(() => noteEnded(index))
  }
}`

describe('second factors in a browser', { timeout: 6 * stepMs }, () => {
  test('an authenticator app is set up, used at the next sign-in, and removed, without scripts', async () => {
    const site = await openSite(factors)
    const { email } = await site.insert({ name: 'Ada' })
    const page = await openPage(browser(), { javaScriptEnabled: false })
    await showPassword(page, site, email)
    const { secret, codes } = await setUpApp(page, site)
    expect(codes).toHaveLength(10)
    await page.getByRole('link', { name: 'I’ve saved my codes' }).click()
    await page.getByText(/Authenticator app: set up on /).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()

    await showPassword(page, site, email)
    await heading(page, 'Confirm it’s you')
    expect(page.url()).toBe(`${site.url}/second-factor?return_to=%2Faccount`)
    const code = page.getByLabel(codeLabel)
    await code.fill(codeAt(secret, site.clock.time))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('That code is incorrect, already used or expired.').waitFor()
    site.advance(30)
    await code.fill(codeAt(secret, site.clock.time))
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Your account')

    await page.getByRole('link', { name: 'Authenticator app' }).click()
    await page.getByLabel(codeLabel).fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Turn off app' }).click()
    await page.getByText('Authenticator app: not set up').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await showPassword(page, site, email)
    await heading(page, 'Your account')
  })

  test('a passkey is added, signs in from the list of the field, is renamed and removed', async () => {
    const site = await openSite(factors)
    const { email } = await site.insert()
    const page = await openPage(browser())
    await addAuthenticator(page)
    await showPassword(page, site, email)
    await addPasskey(page, 'My <b>laptop')
    await heading(page, 'Save your recovery codes')
    await page.getByRole('link', { name: 'I’ve saved my codes' }).click()
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
    await page.getByText('You don’t have any passkeys yet.').waitFor()
  })

  test('a browser that was to be remembered signs in by the password alone, without scripts', async () => {
    const site = await openSite({ ...factors, signIn: { ...factors.signIn, trustedDevices: { days: 30 } } })
    const { email } = await site.insert()
    const page = await openPage(browser(), { javaScriptEnabled: false })
    await showPassword(page, site, email)
    const { secret } = await setUpApp(page, site)
    const signOut = async () => {
      await page.goto(`${site.url}/account`)
      await page.getByRole('button', { name: 'Sign out' }).click()
    }
    await signOut()
    await showPassword(page, site, email)
    const box = page.getByRole('checkbox', { name: 'Don’t ask again on this device for 30 days' })
    expect(await box.isChecked()).toBe(false)
    await box.check()
    site.advance(30)
    await page.getByLabel(codeLabel).fill(codeAt(secret, site.clock.time))
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Your account')
    await signOut()
    await showPassword(page, site, email)
    await heading(page, 'Your account')
  })

  test('a browser that was to be remembered after a passkey signs in by the password alone, by the box above the code', async () => {
    const site = await openSite({ ...factors, signIn: { ...factors.signIn, trustedDevices: { days: 30 } } })
    const { email } = await site.insert()
    const page = await openPage(browser())
    await showPassword(page, site, email)
    await setUpApp(page, site)
    await addAuthenticator(page)
    await page.goto(`${site.url}/account`)
    await addPasskey(page, 'Laptop')
    await page.getByText('Laptop').waitFor()
    // Where the browser offers no list, the button does.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false
    })
    const signOut = async () => {
      await page.goto(`${site.url}/account`)
      await page.getByRole('button', { name: 'Sign out' }).click()
    }
    await signOut()
    await showPassword(page, site, email)
    await page.getByRole('checkbox', { name: 'Don’t ask again on this device for 30 days' }).check()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await heading(page, 'Your account')
    await signOut()
    await showPassword(page, site, email)
    await heading(page, 'Your account')
  })

  test('a passkey is the second factor after the password, and signs in alone, by its button', async () => {
    const site = await openSite(factors)
    const { email } = await site.insert()
    const page = await openPage(browser())
    await showPassword(page, site, email)
    await heading(page, 'Your account')
    await addAuthenticator(page)
    await addPasskey(page, 'Laptop')
    await heading(page, 'Save your recovery codes')
    await page.goto(`${site.url}/account`)
    // Where the browser offers no list, the button does.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false
    })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await showPassword(page, site, email)
    await heading(page, 'Confirm it’s you')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await heading(page, 'Your account')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await heading(page, 'Your account')
  })

  test('concurrent tabs request passkeys in turn, and each signs in by its own request', async () => {
    const site = await openSite(factors)
    const { email } = await site.insert()
    const page = await openPage(browser())
    await addAuthenticator(page)
    await showPassword(page, site, email)
    await addPasskey(page, 'Laptop')
    await heading(page, 'Save your recovery codes')
    const context = page.context()
    await context.clearCookies()
    const [waiting, other] = [{ now: 0, most: 0 }, await context.newPage()]
    await context.route(`${site.url}/passkey/start`, async (route) => {
      waiting.most = Math.max(waiting.most, ++waiting.now)
      await setTimeout(1500)
      waiting.now--
      await route.continue()
    })
    const started = other.waitForResponse(`${site.url}/passkey/start`)
    await context.route(`${site.url}/passkey`, async (route) => {
      await started
      await route.continue()
    })
    const path = `${site.url}/sign-in?return_to=%2Faccount`
    await Promise.all([page.goto(path), other.goto(path)])
    await heading(page, 'Your account')
    expect(waiting).toEqual({ now: 0, most: 1 })
  })

  test('the offer of a passkey is renewed every four minutes until the button opens its dialog, which stays open', async () => {
    const { page, requests } = await openOffer()
    await page.clock.runFor(240_000)
    await expect.poll(() => requests.map(({ how }) => how)).toEqual(['offer', 'offer'])
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expect.poll(() => requests.length).toBe(3)
    await page.clock.runFor(720_000)
    expect(requests).toEqual([
      { how: 'offer', isEnded: true },
      { how: 'offer', isEnded: true },
      { how: 'dialog', isEnded: false },
    ])
  })

  test('the dialog stays open if its button is pressed before the browser reports support for passkeys', async () => {
    const site = await openSite(factors)
    const page = await openPage(browser())
    const requests = await watchRequests(page)
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = () =>
        new Promise((resolve) => Object.assign(globalThis, { sayAvailable: () => resolve(true) }))
    })
    await page.goto(`${site.url}/sign-in`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expect.poll(() => requests.length).toBe(1)
    await page.evaluate('sayAvailable()')
    await page.clock.runFor(720_000)
    expect(requests).toEqual([{ how: 'dialog', isEnded: false }])
  })

  test('a passkey is offered again after a cancelled dialog, and renewed once every four minutes', async () => {
    const { page, requests, cancelDialog } = await openOffer()
    const started: string[] = []
    page.on('request', (request) => request.url().endsWith('/passkey/start') && started.push(request.url()))
    for (let cancelled = 1; cancelled <= 3; cancelled++) {
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await expect.poll(() => requests.length).toBe(2 * cancelled)
      await cancelDialog()
      await expect.poll(() => requests.length).toBe(2 * cancelled + 1)
    }
    expect(started).toHaveLength(6)
    await page.clock.runFor(240_000)
    await expect.poll(() => requests.length).toBe(8)
    await page.clock.runFor(1000)
    expect(started).toHaveLength(7)
    expect(requests.slice(-2)).toEqual([
      { how: 'offer', isEnded: true },
      { how: 'offer', isEnded: false },
    ])
    expect(await page.locator('#passkey-failed').isVisible()).toBe(false)
  })

  test('a change that needs a fresh proof requests it, and continues', async () => {
    const site = await openSite(factors)
    const { email } = await site.insert()
    const page = await openPage(browser())
    await showPassword(page, site, email)
    await heading(page, 'Your account')
    site.advance(301)
    await page.getByRole('link', { name: 'Authenticator app' }).click()
    await page.getByRole('button', { name: 'Set up app' }).click()
    await page.getByText('To continue, enter your password.').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Set up app' }).waitFor()
    await page.goto(`${site.url}/account`)
    const { secret } = await setUpApp(page, site)
    site.advance(301)
    await page.goto(`${site.url}/account/totp`)
    await page.getByRole('button', { name: 'Set up a new app' }).click()
    await page.getByText('To continue, confirm with your second factor.').waitFor()
    await page.getByLabel(codeLabel).fill(codeAt(secret, site.clock.time))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Set up a new app' }).click()
    await heading(page, 'Set up authenticator app')
  })

  test('at an IP address of this machine the pages link to localhost for passkeys', async () => {
    const site = await openSite(factors)
    const page = await openPage(browser())
    await page.goto(`${site.url.replace('localhost', '127.0.0.1')}/sign-in?return_to=%2Faccount`)
    await page.getByText('To use passkeys, go to localhost').waitFor()
    await page.getByRole('link', { name: 'localhost' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    expect(page.url()).toBe(`${site.url}/sign-in?return_to=%2Faccount`)
  })

  test('all of it is done by keyboard alone', async () => {
    const site = await openSite(factors)
    const { email } = await site.insert()
    const page = await openPage(browser())
    await page.goto(`${site.url}/sign-in?return_to=%2Faccount`)
    await awaitFocus(page, 'Email')
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await heading(page, 'Your account')
    await tabTo(page, 'Authenticator app')
    await page.keyboard.press('Enter')
    await heading(page, 'Authenticator app')
    await tabTo(page, 'Set up app')
    await page.keyboard.press('Enter')
    await heading(page, 'Set up authenticator app')
    const secret = await presentedSecret(page)
    await tabTo(page, codeLabel)
    await page.keyboard.type(codeAt(secret, site.clock.time))
    await page.keyboard.press('Enter')
    await heading(page, 'Save your recovery codes')
    await tabTo(page, 'Recovery codes')
    await tabTo(page, 'I’ve saved my codes')
    await page.keyboard.press('Enter')
    await heading(page, 'Your account')
    await addAuthenticator(page)
    await tabTo(page, 'Passkeys')
    await page.keyboard.press('Enter')
    await heading(page, 'Passkeys')
    await tabTo(page, 'Passkey name')
    await page.keyboard.type('Keyboard')
    await page.keyboard.press('Enter')
    await heading(page, 'Create your passkey')
    await tabTo(page, 'Create passkey')
    await page.keyboard.press('Enter')
    await page.getByText('Keyboard').waitFor()
    await tabTo(page, 'Remove')
    await page.keyboard.press('Enter')
    await page.getByText('You don’t have any passkeys yet.').waitFor()
  })

  test('an account that must have a second factor is led to its setup by keyboard, then continues', async () => {
    const site = await openSite({
      ...factors,
      signIn: { ...factors.signIn, secondFactor: { required: 'all', graceSeconds: 0 } },
    })
    const { email } = await site.insert()
    const page = await openPage(browser(), { javaScriptEnabled: false })
    await showPassword(page, site, email)
    await page.getByText('Your account requires a second factor. Set one up to continue.').waitFor()
    const { secret } = await setUpApp(page, site)
    await page.getByRole('link', { name: 'I’ve saved my codes' }).press('Enter')
    await heading(page, 'Your account')
    expect(await page.getByText('requires a second factor').count()).toBe(0)
    await page.getByRole('button', { name: 'Sign out' }).press('Enter')
    site.advance(30)
    await showPassword(page, site, email)
    await page.getByLabel(codeLabel).fill(codeAt(secret, site.clock.time))
    await page.keyboard.press('Enter')
    await heading(page, 'Your account')
  })

  test('messages about a due factor and too many attempts have no axe-core violations', async () => {
    const site = await openSite({
      ...factors,
      signIn: { ...factors.signIn, secondFactor: { required: 'all', graceSeconds: 86_400 } },
    })
    const { email } = await site.insert()
    const page = await openPage(browser())
    await showPassword(page, site, email)
    await page.getByText('requires a second factor').waitFor()
    expect(await findBarriers(page)).toEqual([])
    site.advance(86_400)
    await page.goto(`${site.url}/account`)
    await showPassword(page, site, email)
    await page.getByText('Set one up to continue.').waitFor()
    expect(await findBarriers(page)).toEqual([])
    const stranger = await openPage(browser())
    for (let guessed = 0; guessed <= 5; guessed++) {
      await stranger.goto(`${site.url}/sign-in`)
      await stranger.getByLabel('Email').fill('ada@example.com')
      await stranger.getByLabel('Password').fill('herons never read at dusk')
      await stranger.getByRole('button', { name: 'Sign in', exact: true }).click()
      await stranger.waitForLoadState()
    }
    await heading(stranger, 'Too many attempts')
    expect(await findBarriers(stranger)).toEqual([])
  })

  test('have no barriers that axe-core knows, in light and dark and at the width of a phone', async () => {
    const site = await openSite({
      ...factors,
      pages: { name: 'Notes' },
      signIn: { ...factors.signIn, trustedDevices: { days: 30 } },
    })
    const { email } = await site.insert()
    const page = await openPage(browser())
    const audit = async (path?: string) => {
      if (path !== undefined) await page.goto(`${site.url}${path}`)
      expect([page.url(), await findBarriers(page)]).toEqual([page.url(), []])
    }
    await audit('/sign-in')
    await showPassword(page, site, email)
    await heading(page, 'Your account')
    for (const path of ['/account', '/account/totp', '/account/passkeys', '/confirm-password']) await audit(path)
    await page.goto(`${site.url}/account/totp`)
    await page.getByRole('button', { name: 'Set up app' }).click()
    await heading(page, 'Set up authenticator app')
    await audit()
    await page.getByLabel(codeLabel).fill('000000')
    await page.getByRole('button', { name: 'Confirm code' }).click()
    await page.getByRole('alert').waitFor()
    await audit()
    await page.goto(`${site.url}/account`)
    const { secret } = await setUpApp(page, site)
    await audit()
    await addAuthenticator(page)
    await page.goto(`${site.url}/account`)
    await page.getByRole('link', { name: 'Passkeys', exact: true }).click()
    await page.getByLabel('Passkey name').fill('Laptop')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await heading(page, 'Create your passkey')
    await audit()
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await page.getByText('Laptop').waitFor()
    for (const path of ['/account', '/account/totp', '/account/passkeys', '/account/recovery-codes']) await audit(path)
    await page.goto(`${site.url}/account`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    const other = await openPage(browser())
    await showPassword(other, site, email)
    await heading(other, 'Confirm it’s you')
    expect(await findBarriers(other)).toEqual([])
    await other.getByLabel(codeLabel).fill(codeAt(secret, 0))
    await other.getByRole('button', { name: 'Continue' }).click()
    await other.getByText('That code is incorrect').waitFor()
    expect(await findBarriers(other)).toEqual([])
  })
})
