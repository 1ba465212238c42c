import { expect, test, vi } from 'vitest'
import { findBarriers, openPage, openSite, stepMs, useBrowser } from '../support/browser.ts'

const browser = useBrowser()

test(
  'a code of a mail signs in by the keyboard, on pages without barriers',
  async () => {
    const { url, insert, outbox } = await openSite({ signIn: { emailCode: {} } })
    const { email } = await insert({ name: 'Ada' })
    const page = await openPage(browser())
    await page.goto(`${url}/sign-in?return_to=%2Faccount`)
    await page.getByRole('link', { name: 'Email me a code' }).click()
    await page.getByRole('heading', { name: 'Sign in with a code' }).waitFor()
    expect(await findBarriers(page)).toEqual([])
    // The focus is where one goes on.
    await page.keyboard.type(email)
    await page.keyboard.press('Enter')
    await page.getByLabel('Code').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.keyboard.type('00000000')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await findBarriers(page)).toEqual([])
    const mail = await vi.waitFor(() => outbox[0] ?? Promise.reject(new Error('no mail was sent')))
    await page.keyboard.type(mail.kind === 'sign-in-code' ? mail.data.code : '')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/account')
  },
  4 * stepMs,
)
