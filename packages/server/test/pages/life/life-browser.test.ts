import { readFile } from 'node:fs/promises'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newPassword, password } from '../../support/bench.ts'
import { openPage, openSite, stepMs, useBrowser } from '../../support/browser.ts'
import { openClientSite } from '../../support/clients/client-site.ts'
import {
  autocompleteOf,
  focused,
  follow,
  heading,
  openMail,
  pathOf,
  press,
  signIn,
  tabTo,
  type,
  typePassword,
} from '../../support/steps/browser-steps.ts'

const browser = useBrowser()

const withoutScripts = { javaScriptEnabled: false }
const deletion = { onDelete: () => undefined }
const email = 'grace@example.org'

async function typeSignUp(page: Page): Promise<void> {
  await type(page, 'Name', 'Grace')
  await type(page, 'Email', email)
  await type(page, 'Password', newPassword)
  await press(page, 'Create account')
  await heading(page, 'Check your email')
}

describe('the life of an account in a browser', { timeout: 8 * stepMs }, () => {
  test('starts with a sign-up whose mail confirms the address, then signs in, without scripts', async () => {
    const site = await openSite()
    const page = await openPage(browser(), withoutScripts)
    await page.goto(`${site.url}/account`)
    await follow(page, 'Create an account')
    expect(await page.title()).toBe('Create an account')
    const known = [await autocompleteOf(page, 'Name'), await autocompleteOf(page, 'Email')]
    expect([...known, await autocompleteOf(page, 'Password')]).toEqual(['name', 'email', 'new-password'])
    await typeSignUp(page)

    const tab = await openMail(page, site, email, '/verify')
    await tab.getByText(`Confirm to create the account “Grace” for ${email}.`).waitFor()
    await press(tab, 'Confirm email')
    await heading(tab, 'Email confirmed')
    expect(await tab.title()).toBe('Email confirmed')
    await follow(tab, 'Sign in')
    expect(await autocompleteOf(tab, 'Email')).toBe('username webauthn')
    expect(await autocompleteOf(tab, 'Password')).toBe('current-password')
    await typePassword(tab, email, newPassword)
    await heading(tab, 'Your account')
    await tab.getByText(`You’re signed in as Grace (${email}).`).waitFor()
  })

  test("continues the sign-up at the client's request, in the tab of the mail", async () => {
    const site = await openClientSite()
    const page = await openPage(browser(), withoutScripts)
    await page.goto(site.requestUrl())
    await follow(page, 'Go on')
    await follow(page, 'Create an account')
    await page.getByText('Then you’ll continue to Reader.').waitFor()
    await typeSignUp(page)
    const tab = await openMail(page, site, email, '/verify')
    await press(tab, 'Confirm email')
    await follow(tab, 'Sign in')
    await tab.getByText('Sign in to continue to Reader.').waitFor()
    await typePassword(tab, email, newPassword)
    await heading(tab, 'Allow access?')
    await press(tab, 'Allow')
    await tab.waitForURL((url) => url.href.startsWith(`${site.client}/callback?code=`))
  })

  test("continues the reset at the client's request, in the earlier tab", async () => {
    const site = await openClientSite()
    await site.insert({ email })
    const page = await openPage(browser(), withoutScripts)
    await page.goto(site.requestUrl())
    await follow(page, 'Go on')
    await follow(page, 'Forgot your password?')
    await type(page, 'Email', email)
    await press(page, 'Send link')
    await heading(page, 'Check your email')
    const tab = await openMail(page, site, email, '/reset')
    await type(tab, 'New password', newPassword)
    await press(tab, 'Change password')
    await heading(tab, 'Password changed')
    await follow(page, 'Sign in')
    await page.getByText('Sign in to continue to Reader.').waitFor()
    await typePassword(page, email, newPassword)
    await press(page, 'Allow')
    await page.waitForURL((url) => url.href.startsWith(`${site.client}/callback?code=`))
  })

  test('resets a password by keyboard, with the focus on the wrong field', async () => {
    const site = await openSite()
    await site.insert({ email })
    const page = await openPage(browser())
    const enter = async (text: string) => {
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
    }
    await page.goto(`${site.url}/sign-in?return_to=%2Faccount`)
    await tabTo(page, 'Forgot your password?')
    await page.keyboard.press('Enter')
    await heading(page, 'Reset your password')
    expect(await focused(page)).toBe('Email')
    expect(await autocompleteOf(page, 'Email')).toBe('username')
    // White space is a text to the browser, and none to the service.
    await page.locator('form').evaluate((form: HTMLFormElement) => {
      form.noValidate = true
    })
    await enter(' ')
    await page.getByRole('alert').waitFor()
    expect(await focused(page)).toBe('Email')
    await enter(email)
    await heading(page, 'Check your email')

    const link = await openMail(page, site, email, '/reset')
    const url = link.url()
    await link.close()
    await page.goto(url)
    expect(await focused(page)).toBe('New password')
    expect(await autocompleteOf(page, 'New password')).toBe('new-password')
    await enter('short')
    await page.getByRole('alert').waitFor()
    expect(await focused(page)).toBe('New password')
    expect(await page.getByLabel('New password').getAttribute('aria-describedby')).toContain('problem')
    await enter(newPassword)
    await heading(page, 'Password changed')
    await tabTo(page, 'Sign in')
    await page.keyboard.press('Enter')
    await heading(page, 'Sign in')
    expect(await focused(page)).toBe('Email')
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await enter(newPassword)
    await heading(page, 'Your account')
  })

  test('has a name that is changed, without scripts', async () => {
    const site = await openSite()
    await site.insert({ email, name: 'Grace' })
    const page = await openPage(browser(), withoutScripts)
    await signIn(page, site, email)
    await follow(page, 'Change name')
    expect([await page.title(), await autocompleteOf(page, 'Name')]).toEqual(['Change name', 'name'])
    await type(page, 'Name', '\u202eecarG')
    await press(page, 'Save name')
    await page.getByRole('alert').waitFor()
    await type(page, 'Name', 'Grace Hopper')
    await press(page, 'Save name')
    await page.getByText(`You’re signed in as Grace Hopper (${email}).`).waitFor()
  })

  test('changes its address by one mail and restores it by another, without scripts', async () => {
    const site = await openSite()
    await site.insert({ email })
    const page = await openPage(browser(), withoutScripts)
    await signIn(page, site, email)
    site.advance(301)
    await follow(page, 'Change email')
    await press(page, 'Confirm it’s you')
    await type(page, 'Password', password)
    await press(page, 'Continue')
    expect(pathOf(page)).toBe('/account/email')
    const to = 'hopper@example.org'
    await type(page, 'New email', to)
    await press(page, 'Change email')
    await heading(page, 'Check both inboxes')

    const confirming = await openMail(page, site, to, '/confirm-email-change')
    await confirming.getByText(`Confirm to change your account’s email to ${to}.`).waitFor()
    await press(confirming, 'Confirm change')
    await heading(confirming, 'Email changed')
    await page.goto(`${site.url}/account`)
    await page.getByText(`You’re signed in as A Reader (${to}).`).waitFor()

    const undoing = await openMail(page, site, email, '/undo-email-change')
    await undoing.getByText(`Your account’s email will change back to ${email}.`).waitFor()
    await press(undoing, 'Undo email change')
    await heading(undoing, 'Email change undone')
    await page.goto(`${site.url}/account`)
    expect(pathOf(page)).toBe('/sign-in?return_to=%2Faccount')
    const choosing = await openMail(page, site, email, '/reset')
    await type(choosing, 'New password', newPassword)
    await press(choosing, 'Change password')
    await follow(choosing, 'Sign in')
    await typePassword(choosing, email, newPassword)
    await choosing.getByText(`You’re signed in as A Reader (${email}).`).waitFor()
  })

  test('changes its password, which signs out every other browser, without scripts', async () => {
    const site = await openSite()
    await site.insert({ email })
    const [page, other] = [await openPage(browser(), withoutScripts), await openPage(browser(), withoutScripts)]
    await signIn(page, site, email)
    await signIn(other, site, email)
    await follow(page, 'Change password')
    const known = [await autocompleteOf(page, 'Current password'), await autocompleteOf(page, 'New password')]
    expect(known).toEqual(['current-password', 'new-password'])
    await type(page, 'Current password', 'not the password')
    await type(page, 'New password', newPassword)
    await press(page, 'Change password')
    await page.getByText('Your current password is incorrect.').waitFor()
    await type(page, 'Current password', password)
    await type(page, 'New password', newPassword)
    await press(page, 'Change password')
    await heading(page, 'Password changed')
    await follow(page, 'Back to your account')
    await heading(page, 'Your account')
    await other.reload()
    expect(pathOf(other)).toBe('/sign-in?return_to=%2Faccount')
    await typePassword(other, email, newPassword)
    await heading(other, 'Your account')
  })

  test('has devices: one browser signs out the other, whose next request redirects to the sign-in, without scripts', async () => {
    const site = await openSite()
    await site.insert({ email })
    const pixel = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36'
    const page = await openPage(browser(), withoutScripts)
    const [phone, third] = [
      await openPage(browser(), { ...withoutScripts, userAgent: pixel }),
      await openPage(browser(), withoutScripts),
    ]
    for (const one of [page, phone, third]) await signIn(one, site, email)
    await follow(page, 'Your devices')
    await heading(page, 'Your devices')
    await page.getByRole('button', { name: 'Sign out Chrome on Android' }).click()
    await page.getByText('Chrome on Android').waitFor({ state: 'detached' })
    await phone.goto(`${site.url}/devices`)
    expect(pathOf(phone)).toBe('/sign-in?return_to=%2Fdevices')
    await press(page, 'Sign out all other devices')
    await page.getByText('No other devices are signed in.').waitFor()
    await third.reload()
    expect(pathOf(third)).toBe('/sign-in?return_to=%2Faccount')
    await typePassword(phone, email)
    await heading(phone, 'Your devices')
    await page.reload()
    await page.getByRole('button', { name: 'Sign out Chrome on Android' }).waitFor()
  })

  test('can be taken along as a file and deleted, each after a fresh proof, without scripts', async () => {
    const site = await openSite({ accounts: { deletion } })
    const { id } = await site.insert({ email, name: 'Grace' })
    const page = await openPage(browser(), { ...withoutScripts, acceptDownloads: true })
    await signIn(page, site, email)
    site.advance(301)
    await follow(page, 'Download your data')
    await press(page, 'Confirm it’s you')
    await type(page, 'Password', password)
    await press(page, 'Continue')
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download data')])
    expect(download.suggestedFilename()).toBe('account.json')
    const data = JSON.parse(await readFile(await download.path(), 'utf8'))
    expect(JSON.stringify(data)).toContain(email)

    await follow(page, 'Back to your account')
    await follow(page, 'Delete account')
    await type(page, 'Your email', 'other@example.org')
    await press(page, 'Delete account')
    await page.getByRole('alert').waitFor()
    expect(await site.stores.accounts.get(id)).not.toBeNull()
    await type(page, 'Your email', email)
    await press(page, 'Delete account')
    await heading(page, 'Account deleted')
    expect(await site.stores.accounts.get(id)).toBeNull()
    await page.goto(`${site.url}/account`)
    await typePassword(page, email)
    await page.getByText('Incorrect email or password.').waitFor()
  })

  test('requires the second factor before a change of address, and never the password, if there is a factor', async () => {
    const site = await openSite({
      signIn: { totp: createTotp, recoveryCodes: createRecoveryCodes },
      accounts: { deletion },
    })
    await site.insert({ email })
    const page = await openPage(browser(), withoutScripts)
    await signIn(page, site, email)
    await follow(page, 'Authenticator app')
    await press(page, 'Set up app')
    const secret = ((await page.getByLabel('Setup key').textContent()) ?? '').replaceAll(' ', '')
    await type(page, 'Code from your authenticator app', codeAt(secret, site.clock.time))
    await press(page, 'Confirm code')
    await heading(page, 'Save your recovery codes')
    for (const [link, path] of [
      ['Change email', '/account/email'],
      ['Download your data', '/account/export'],
      ['Delete account', '/account/delete'],
    ] as const) {
      site.advance(301)
      await page.goto(`${site.url}/account`)
      await follow(page, link)
      await press(page, 'Confirm it’s you')
      expect(pathOf(page)).toBe(`/second-factor?return_to=${encodeURIComponent(path)}`)
      expect(await autocompleteOf(page, 'Code from your authenticator app')).toBe('one-time-code')
      await type(page, 'Code from your authenticator app', codeAt(secret, site.clock.time))
      await press(page, 'Continue')
      await heading(page, link)
      expect([pathOf(page), await page.getByRole('button', { name: 'Confirm it’s you' }).count()]).toEqual([path, 0])
    }
  })
})
