import { codeAt } from '@latchkey/test-services'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findBarriers, openPage, stepMs, useBrowser } from '../support/browser.ts'
import { type ClientSite, openClientSite } from '../support/clients/client-site.ts'
import { focused, heading, press, signIn, typePassword } from '../support/steps/browser-steps.ts'
import { addAuthenticator, codeLabel, setUpApp } from '../support/steps/factor-steps.ts'

const browser = useBrowser()

/** Begins at the page of the client, as people do. */
async function begin(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('link', { name: 'Go on' }).click()
}

/** Sets an app up, and returns what makes its codes. */
async function startApp(page: Page, site: ClientSite): Promise<() => string> {
  await page.goto(`${site.url}/account`)
  const { secret } = await setUpApp(page, site)
  return () => {
    site.advance(30)
    return codeAt(secret, site.clock.time)
  }
}

async function signOut(page: Page, { url }: ClientSite): Promise<void> {
  await page.goto(`${url}/account`)
  await press(page, 'Sign out')
  await heading(page, 'Sign in')
}

/** What the client is told when the browser has come back to it. */
async function answered(page: Page, { client }: ClientSite): Promise<Record<string, string>> {
  await page.waitForURL((url) => url.href.startsWith(`${client}/callback?`))
  return Object.fromEntries(new URL(page.url()).searchParams)
}

describe("a client's request over the pages in a browser", { timeout: 6 * stepMs }, () => {
  test('passes sign-in, second factor and consent and returns, without scripts; the consent can be revoked', async () => {
    const site = await openClientSite()
    const { email } = await site.insert({ name: 'Ada' })
    const page = await openPage(browser(), { javaScriptEnabled: false })
    await signIn(page, site, email)
    const code = await startApp(page, site)
    await signOut(page, site)

    await begin(page, site.requestUrl())
    await page.getByText('Sign in to continue to Reader.').waitFor()
    await typePassword(page, email)
    await heading(page, 'Confirm it’s you')
    await page.getByLabel(codeLabel).fill(code())
    await press(page, 'Continue')
    await heading(page, 'Allow access?')
    await press(page, 'Allow')
    expect(await answered(page, site)).toMatchObject({ state: 'state-1', iss: site.url })
    const { access_token } = await site.exchange(page.url())
    expect(await site.statusOf(access_token)).toBe(200)

    await page.goto(`${site.url}/account`)
    await page.getByRole('heading', { name: 'Apps with access' }).waitFor()
    await page.getByRole('button', { name: 'Remove access Reader' }).click()
    await page.getByRole('heading', { name: 'Apps with access' }).waitFor({ state: 'detached' })
    expect(await site.statusOf(access_token)).toBe(401)

    await begin(page, site.requestUrl())
    await heading(page, 'Allow access?')
    await press(page, 'Don’t allow')
    expect(await answered(page, site)).toMatchObject({ error: 'access_denied', state: 'state-1' })
  })

  test('returns at once if everything was allowed: from the form of the password and of the code', async () => {
    const site = await openClientSite()
    const { email } = await site.insert()
    const page = await openPage(browser(), { javaScriptEnabled: false })
    await signIn(page, site, email)
    await begin(page, site.requestUrl())
    await press(page, 'Allow')
    await answered(page, site)
    await signOut(page, site)
    await begin(page, site.requestUrl())
    await typePassword(page, email)
    expect(await answered(page, site)).toMatchObject({ state: 'state-1' })
    const code = await startApp(page, site)
    site.advance(30)
    await begin(page, site.requestUrl({ prompt: 'login' }))
    await typePassword(page, email)
    await page.getByLabel(codeLabel).fill(code())
    await press(page, 'Continue')
    expect(await answered(page, site)).toMatchObject({ state: 'state-1' })
  })

  test('returns at once from a passkey', async () => {
    const site = await openClientSite()
    const { email } = await site.insert()
    const page = await openPage(browser())
    await addAuthenticator(page)
    await signIn(page, site, email)
    await begin(page, site.requestUrl())
    await press(page, 'Allow')
    await answered(page, site)
    await page.goto(`${site.url}/account/passkeys`)
    await page.getByLabel('Passkey name').fill('Laptop')
    await press(page, 'Add passkey')
    await press(page, 'Create passkey')
    await heading(page, 'Save your recovery codes')
    site.advance(30)
    // The list of the field answers by itself here, because the authenticator needs no gesture.
    await begin(page, site.requestUrl({ prompt: 'login' }))
    expect(await answered(page, site)).toMatchObject({ state: 'state-1' })
  })

  test('is the same with a session that browsers keep from other sites', async () => {
    const site = await openClientSite({ sessions: { cookie: { sameSite: 'Strict' } } })
    const { email } = await site.insert()
    const page = await openPage(browser(), { javaScriptEnabled: false })
    await signIn(page, site, email)
    await begin(page, site.requestUrl())
    await heading(page, 'Allow access?')
    await press(page, 'Allow')
    expect(await answered(page, site)).toMatchObject({ state: 'state-1', iss: site.url })
    await begin(page, site.requestUrl())
    expect(await answered(page, site)).toMatchObject({ state: 'state-1' })
    await signOut(page, site)
    await begin(page, site.requestUrl())
    await typePassword(page, email)
    expect(await answered(page, site)).toMatchObject({ state: 'state-1' })
  })

  test('continues without a second factor if the account has none, and with a factor that it sets up', async () => {
    const site = await openClientSite()
    const { email } = await site.insert()
    const page = await openPage(browser(), { javaScriptEnabled: false })
    await begin(page, site.requestUrl({ acr_values: 'urn:latchkey:2fa' }))
    await typePassword(page, email)
    await page.getByText('Reader wants you to confirm with your second factor.').waitFor()
    await page.getByRole('link', { name: 'Continue without a second factor' }).click()
    await press(page, 'Allow')
    expect(await answered(page, site)).toMatchObject({ state: 'state-1' })
    await begin(page, site.requestUrl({ acr_values: 'urn:latchkey:2fa' }))
    await page.getByRole('link', { name: 'Set up a second factor' }).click()
    await heading(page, 'Your account')
    await setUpApp(page, site)
    await begin(page, site.requestUrl({ acr_values: 'urn:latchkey:2fa' }))
    expect(await answered(page, site)).toMatchObject({ state: 'state-1' })
  })

  test('redirects to an application that waits at an IPv6 address of the same machine', async () => {
    const site = await openClientSite()
    const { email } = await site.insert()
    const page = await openPage(browser(), { javaScriptEnabled: false })
    await signIn(page, site, email)
    const redirect_uri = `http://[::1]:${new URL(site.client).port}/callback`
    await begin(page, site.requestUrl({ client_id: 'pocket', redirect_uri }))
    await heading(page, 'Allow access?')
    // Not every machine has that address: what counts is that the browser goes there.
    const going = page.waitForRequest((request) => request.url().startsWith(redirect_uri))
    await press(page, 'Allow')
    expect(new URL((await going).url()).searchParams.get('code')).toMatch(/^ac_/)
  })

  test.each([['Lax'], ['Strict']] as const)(
    'can be in a popup of the client, which then still knows the window that has opened it, with a %s session',
    async (sameSite) => {
      const site = await openClientSite({ sessions: { cookie: { sameSite } } })
      const { email } = await site.insert()
      const page = await openPage(browser())
      await page.goto(site.requestUrl())
      const [popup] = await Promise.all([
        page.waitForEvent('popup'),
        page
          .getByRole('link', { name: 'Go on' })
          .evaluate((link) => void window.open((link as HTMLAnchorElement).href)),
      ])
      await typePassword(popup, email)
      await press(popup, 'Allow')
      expect(await answered(popup, site)).toMatchObject({ state: 'state-1' })
      expect(await popup.evaluate(() => window.opener?.location.href)).toBe(page.url())
    },
  )

  test('is never framed by a client', async () => {
    const site = await openClientSite()
    const { email } = await site.insert()
    // What is refused is written to the console.
    const context = await browser().newContext()
    try {
      const page = await context.newPage()
      page.setDefaultTimeout(stepMs)
      await signIn(page, site, email)
      await page.goto(site.requestUrl().replace('/?', '/framed?'))
      const [, frame] = page.frames()
      await frame?.waitForLoadState()
      expect(frame?.url()).toMatch(/^chrome-error:/)
      expect(await frame?.getByRole('button').count()).toBe(0)
    } finally {
      await context.close()
    }
  })

  test('can be decided by keyboard: Allow comes first, and only a key allows', async () => {
    const site = await openClientSite()
    const { email } = await site.insert()
    const page = await openPage(browser())
    await signIn(page, site, email)
    await begin(page, site.requestUrl())
    await heading(page, 'Allow access?')
    const order: string[] = []
    for (let tabs = 0; tabs < 3; tabs++) {
      await page.keyboard.press('Tab')
      order.push(await focused(page))
    }
    expect(order).toEqual(['Allow', 'Don’t allow', 'Use another account'])
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    expect(await answered(page, site)).toMatchObject({ error: 'access_denied' })
  })

  test('a device is connected by its code', async () => {
    const site = await openClientSite()
    const { email } = await site.insert()
    const page = await openPage(browser(), { javaScriptEnabled: false })
    const body = new URLSearchParams({ client_id: 'television', scope: 'openid notes:write' })
    const device = await (await fetch(`${site.url}/device_authorization`, { method: 'POST', body })).json()
    await page.goto((device as { verification_uri_complete: string }).verification_uri_complete)
    await typePassword(page, email)
    await heading(page, 'Connect a device')
    await press(page, 'Continue')
    await heading(page, 'Allow this device?')
    await press(page, 'Allow')
    await heading(page, 'Your device is connected')
  })

  test('its pages have no barriers that axe-core knows, in light and dark and at the width of a phone', async () => {
    const site = await openClientSite({ pages: { name: 'Notes' } }, 'W'.repeat(100))
    const { email } = await site.insert({ name: 'Averylongnamewithoutanyplacetobreakit' })
    const page = await openPage(browser())
    const audit = async (title: string) => {
      await heading(page, title)
      expect(await findBarriers(page)).toEqual([])
    }
    await begin(page, site.requestUrl())
    await audit('Sign in')
    await typePassword(page, email)
    await audit('Allow access?')
    await press(page, 'Allow')
    await answered(page, site)
    await begin(page, site.requestUrl({ scope: 'openid email profile offline_access accounts:read notes:write' }))
    await audit('Allow access?')
    await press(page, 'Allow')
    await answered(page, site)
    await begin(page, site.requestUrl({ acr_values: 'urn:latchkey:2fa' }))
    await audit('Confirm it’s you')
    await page.goto(`${site.url}/account`)
    await audit('Your account')
    await page.goto(`${site.url}/device?user_code=BBBB-BBBB`)
    await audit('Connect a device')
    await press(page, 'Continue')
    await page.getByRole('alert').waitFor()
    await audit('Connect a device')
    const body = new URLSearchParams({ client_id: 'television', scope: 'openid notes:write' })
    const device = await (await fetch(`${site.url}/device_authorization`, { method: 'POST', body })).json()
    await page.getByLabel('Code').fill((device as { user_code: string }).user_code)
    await press(page, 'Continue')
    await audit('Allow this device?')
    await press(page, 'Don’t allow')
    await audit('Device not connected')
    await page.goto(`${site.url}/device/allowed`)
    await audit('Your device is connected')
    await page.goto(`${site.url}/consent?handle=x`)
    await audit('This request is no longer valid')
    await page.goto(`${site.url}/authorize?client_id=nobody`)
    await audit('We couldn’t process this request')
    await page.goto(`${site.url}/end-session?client_id=reader`)
    await audit('Sign out?')
    await press(page, 'Sign out')
    await audit('You’re signed out')
  })
})
