import { englishPageTexts } from '@latchkey/server'
import { describe, expect, test } from 'vitest'
import { password } from '../support/bench.ts'
import { findBarriers, openPage, openSite, stepMs, useBrowser } from '../support/browser.ts'
import { focused, pathOf, tabTo } from '../support/steps/browser-steps.ts'

const browser = useBrowser()

describe('the pages in a browser', { timeout: 4 * stepMs }, () => {
  test('sign in, return to the destination, and sign out, without scripts', async () => {
    const { url, insert } = await openSite()
    const { email } = await insert({ name: 'Ada' })
    const page = await openPage(browser(), { javaScriptEnabled: false })
    await page.goto(`${url}/account`)
    expect(pathOf(page)).toBe('/sign-in?return_to=%2Faccount')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Incorrect email or password.').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    expect(await page.locator('main').textContent()).toContain(`You’re signed in as Ada (${email}).`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(`${url}/account`)
    expect(pathOf(page)).toBe('/sign-in?return_to=%2Faccount')
  })

  test('work by keyboard: the focus is visible and on the next step', async () => {
    const { url, insert } = await openSite()
    const { email } = await insert()
    const page = await openPage(browser())
    await page.goto(`${url}/sign-in?return_to=%2Faccount`)
    expect(await focused(page)).toBe('Email')
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await focused(page)).toBe('Password')
    const outline = await page.locator('#password').evaluate((input) => getComputedStyle(input).outlineStyle)
    expect(outline).toBe('solid')
    await page.keyboard.type(password)
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Sign in')
    await page.keyboard.press('Space')
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await tabTo(page, 'Sign out')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('have no barriers that axe-core knows, in light and dark and at the width of a phone', async () => {
    const { url, insert, visitor, mailedToken } = await openSite({ pages: { name: 'Notes' } })
    const { email } = await insert({ name: 'A very long name without any place to break it'.replaceAll(' ', '') })
    const page = await openPage(browser())
    await page.goto(`${url}/sign-in`)
    expect(await findBarriers(page)).toEqual([])
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.goto(`${url}/account`)
    expect(await findBarriers(page)).toEqual([])
    await visitor().ask('mutation ($e: String!) { requestPasswordReset(input: { email: $e }) }', { e: email })
    await page.goto(`${url}/reset?token=${await mailedToken(email)}`)
    expect(await findBarriers(page)).toEqual([])
    const signUp = { email: 'new@example.com', password, name: 'New' }
    await visitor().ask('mutation ($i: SignUpInput!) { signUp(input: $i) { accepted } }', { i: signUp })
    await page.goto(`${url}/verify?token=${await mailedToken('new@example.com')}`)
    expect(await findBarriers(page)).toEqual([])
    await page.goto(`${url}/verify?token=none`)
    expect(await findBarriers(page)).toEqual([])
  })

  test('follow the theme and the language of the browser', async () => {
    const german = { ...englishPageTexts, 'sign-in.title': 'Anmelden' }
    const theme = { accent: '#7a1f5c', surface: '#ffffff', background: '#ffffff', text: '#000000', cornerRadius: 0 }
    const { url } = await openSite({ pages: { name: 'Notizen', theme, translations: { de: german } } })
    const page = await openPage(browser(), { locale: 'de-DE', colorScheme: 'dark' })
    await page.goto(`${url}/sign-in`)
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    expect(await page.title()).toBe('Anmelden · Notizen')
    const button = await page.getByRole('button').evaluate((element) => {
      const { backgroundColor, color, borderRadius } = getComputedStyle(element)
      return { backgroundColor, color, borderRadius }
    })
    expect(button).toEqual({ backgroundColor: 'rgb(122, 31, 92)', color: 'rgb(255, 255, 255)', borderRadius: '0px' })
  })
})
