import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { password } from '../../support/bench.ts'
import { findBarriers, openPage, type Site, stepMs, useBrowser } from '../../support/browser.ts'
import { openPostingSite } from '../../support/providers/posting-site.ts'
import { openProviderSite, type ProviderSite } from '../../support/providers/provider-site.ts'
import {
  awaitFocus,
  follow,
  heading,
  pathOf,
  press,
  signIn,
  tabTo,
  type,
  typePassword,
} from '../../support/steps/browser-steps.ts'

const browser = useBrowser()

const withoutScripts = { javaScriptEnabled: false }
const button = 'Sign in with Lighthouse'
const codeLabel = 'Code from your authenticator app'
const email = 'ada@example.org'

/** Signs in at Lighthouse, where the browser is led to, and agrees. */
async function passLighthouse(page: Page, name = email): Promise<void> {
  await page.getByText('Sign in to continue to Harbour.').waitFor()
  await typePassword(page, name)
  await heading(page, 'Allow access?')
  await press(page, 'Allow')
}

/** Signs in at Lighthouse by the button of the sign-in page. */
async function signInThere(page: Page, { url }: Pick<Site, 'url'>): Promise<void> {
  await page.goto(`${url}/account`)
  await press(page, button)
  await passLighthouse(page)
}

async function signOut(page: Page, { url }: Pick<Site, 'url'>): Promise<void> {
  await page.goto(`${url}/account`)
  await press(page, 'Sign out')
  await heading(page, 'Sign in')
}

/** Links the user of Lighthouse on the page of the account. */
async function link(page: Page, { url }: Pick<Site, 'url'>): Promise<void> {
  await page.goto(`${url}/account`)
  await follow(page, 'Linked accounts')
  await page.getByText('You don’t have any linked accounts yet.').waitFor()
  await press(page, 'Link Lighthouse')
  await passLighthouse(page)
  await page.getByRole('button', { name: 'Unlink Lighthouse' }).waitFor()
}

const isSignedIn = (page: Page, who: string) => page.getByText(`You’re signed in as ${who}.`).waitFor()

/** A browser in which who has an account in both services has linked them. */
async function openLinked(page: Page, site: ProviderSite): Promise<void> {
  await site.lighthouse.insert({ email, name: 'Ada' })
  await site.insert({ email: 'ada@harbour.example', name: 'Ada of Harbour' })
  await signIn(page, site, 'ada@harbour.example')
  await link(page, site)
}

describe('a sign-in with a provider in a browser', { timeout: 8 * stepMs }, () => {
  test('opens an account, and signs in to it again without a question, without scripts', async () => {
    const site = await openProviderSite()
    await site.lighthouse.insert({ email, name: 'Ada' })
    const page = await openPage(browser(), withoutScripts)
    await signInThere(page, site)
    await isSignedIn(page, `Ada (${email})`)
    expect(pathOf(page)).toBe('/account')
    await signOut(page, site)
    await page.goto(`${site.url}/devices`)
    await press(page, button)
    await heading(page, 'Your devices')
    expect(site.events.filter((event) => event.type === 'account.created')).toHaveLength(1)
  })

  test('is done by keyboard alone', async () => {
    const site = await openProviderSite()
    await site.lighthouse.insert({ email, name: 'Ada' })
    const page = await openPage(browser())
    await page.goto(`${site.url}/account`)
    await tabTo(page, button)
    await page.keyboard.press('Enter')
    await heading(page, 'Sign in')
    await page.getByText('Sign in to continue to Harbour.').waitFor()
    await awaitFocus(page, 'Email')
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await heading(page, 'Allow access?')
    await tabTo(page, 'Allow')
    await page.keyboard.press('Enter')
    await isSignedIn(page, `Ada (${email})`)
    await tabTo(page, 'Linked accounts')
    await page.keyboard.press('Enter')
    await heading(page, 'Linked accounts')
    await tabTo(page, 'Unlink')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Unlink Lighthouse' }).waitFor()
  })

  test("is linked, requires the account's second factor, and is refused after its removal, without scripts", async () => {
    const site = await openProviderSite(
      { signIn: { totp: createTotp, recoveryCodes: createRecoveryCodes } },
      { newAccounts: 'closed' },
    )
    const page = await openPage(browser(), withoutScripts)
    await openLinked(page, site)
    await page.goto(`${site.url}/account`)
    await follow(page, 'Authenticator app')
    await press(page, 'Set up app')
    const secret = ((await page.getByLabel('Setup key').textContent()) ?? '').replaceAll(' ', '')
    await type(page, codeLabel, codeAt(secret, site.clock.time))
    await press(page, 'Confirm code')
    await heading(page, 'Save your recovery codes')
    await signOut(page, site)

    await page.goto(`${site.url}/account`)
    await press(page, button)
    await heading(page, 'Confirm it’s you')
    const unproven = await page.context().newPage()
    await unproven.goto(`${site.url}/account`)
    expect(pathOf(unproven)).toBe('/sign-in?return_to=%2Faccount')
    await unproven.close()
    site.advance(30)
    await type(page, codeLabel, codeAt(secret, site.clock.time))
    await press(page, 'Continue')
    await isSignedIn(page, 'Ada of Harbour (ada@harbour.example)')

    await follow(page, 'Linked accounts')
    await page.getByRole('button', { name: 'Unlink Lighthouse' }).click()
    await page.getByText('You don’t have any linked accounts yet.').waitFor()
    await signOut(page, site)
    await page.goto(`${site.url}/account`)
    await press(page, button)
    await heading(page, 'We couldn’t complete this sign-in')
    await follow(page, 'Sign in another way')
    await heading(page, 'Sign in')
    await page.goto(`${site.url}/account`)
    expect(pathOf(page)).toBe('/sign-in?return_to=%2Faccount')
  })

  test('is a fresh proof without a password if the provider requests its own proof again, without scripts', async () => {
    const site = await openProviderSite({ accounts: { deletion: { onDelete: () => undefined } } })
    await site.lighthouse.insert({ email, name: 'Ada' })
    const page = await openPage(browser(), withoutScripts)
    await signInThere(page, site)
    await isSignedIn(page, `Ada (${email})`)
    site.advance(301)
    await follow(page, 'Delete account')
    await press(page, 'Confirm it’s you')
    await heading(page, 'Confirm it’s you')
    await press(page, 'Continue with Lighthouse')
    await page.getByText('Sign in again to continue to Harbour.').waitFor()
    await typePassword(page, email)
    await heading(page, 'Delete account')
    await type(page, 'Your email', email)
    await press(page, 'Delete account')
    await heading(page, 'Account deleted')
  })

  test('is refused in a browser that has not started it, without scripts', async () => {
    const site = await openProviderSite()
    await site.lighthouse.insert({ email, name: 'Ada' })
    const page = await openPage(browser(), withoutScripts)
    const callbacks: string[] = []
    await page.route('**/callback?**', async (route) => {
      callbacks.push(route.request().url())
      await route.fulfill({ body: 'kept' })
    })
    await signInThere(page, site)
    await page.getByText('kept').waitFor()
    const other = await openPage(browser(), withoutScripts)
    await other.goto(callbacks[0] ?? '')
    await heading(other, 'We couldn’t complete this sign-in')
    await other.goto(`${site.url}/account`)
    expect(pathOf(other)).toBe('/sign-in?return_to=%2Faccount')
  })

  test('works with a Strict session cookie: it signs in, and links in the session that started it, without scripts', async () => {
    const site = await openProviderSite({ sessions: { cookie: { sameSite: 'Strict' } } })
    const page = await openPage(browser(), withoutScripts)
    await openLinked(page, site)
    const [session] = (await page.context().cookies(site.url)).filter(({ name }) => name === '__Host-session')
    expect(session?.sameSite).toBe('Strict')
    await signOut(page, site)
    await page.goto(`${site.url}/devices`)
    await press(page, button)
    await heading(page, 'Your devices')
    await page.goto(`${site.url}/account`)
    await isSignedIn(page, 'Ada of Harbour (ada@harbour.example)')
  })

  test.each(['Lax', 'Strict'] as const)(
    'accepts a posted answer, as Apple sends it, with a session cookie that is %s, without scripts',
    async (sameSite) => {
      const site = await openPostingSite({ sessions: { cookie: { sameSite } } })
      const page = await openPage(browser(), withoutScripts)
      for (const again of [false, true]) {
        await page.goto(`${site.url}/account`)
        await press(page, 'Sign in with Apple')
        await press(page, 'Continue')
        await isSignedIn(page, 'Ada Lovelace (ada@privaterelay.example)')
        expect([again, pathOf(page)]).toEqual([again, '/account'])
        await signOut(page, site)
      }
    },
  )
})

describe('the pages of providers', { timeout: 8 * stepMs }, () => {
  test('have no barriers that axe-core knows, in light and dark and at the width of a phone', async () => {
    const site = await openProviderSite({ accounts: { deletion: { onDelete: () => undefined } } })
    await site.lighthouse.insert({ email, name: 'Ada' })
    const page = await openPage(browser())
    const audit = async (path?: string) => {
      if (path !== undefined) await page.goto(`${site.url}${path}`)
      expect([page.url(), await findBarriers(page)]).toEqual([page.url(), []])
    }
    await audit('/sign-in')
    await audit('/sign-up')
    // What leads to Lighthouse is looked at before it does.
    await page.route(`${site.lighthouse.url}/**`, (route) => route.fulfill({ status: 204 }))
    await page.goto(`${site.url}/account`)
    await press(page, button)
    await heading(page, 'One moment…')
    await audit()
    await page.unroute(`${site.lighthouse.url}/**`)
    await signInThere(page, site)
    await isSignedIn(page, `Ada (${email})`)
    await audit()
    await audit('/account/providers')
    await page.getByRole('button', { name: 'Unlink Lighthouse' }).click()
    await page.getByRole('alert').waitFor()
    await audit()
    await audit('/confirm-provider')
    await audit('/sign-in/with/lighthouse/callback?code=c&state=s')
    await heading(page, 'We couldn’t complete this sign-in')
  })
})
