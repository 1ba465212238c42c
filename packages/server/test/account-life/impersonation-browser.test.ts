import { createPasskeys } from '@latchkey/passkeys'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { expect, test } from 'vitest'
import { findBarriers, openPage, openSite, stepMs, useBrowser } from '../support/browser.ts'
import { actAs, on, signedInAdmin } from './impersonating.ts'

const browser = useBrowser()

const factors = { signIn: { totp: createTotp, passkeys: createPasskeys, recoveryCodes: createRecoveryCodes } }

test(
  'a browser that acts as an account shows that on every page and can stop, without accessibility violations',
  async () => {
    const site = await openSite(on(factors))
    const owner = await site.signedIn('AUTHOR')
    const admin = await actAs(await signedInAdmin(site), owner.account.id)
    const page = await openPage(browser())
    const cookies = [...admin.jar].map(([name, value]) => ({ name, value, url: site.url.replace('http:', 'https:') }))
    await page.context().addCookies(cookies)
    for (const path of ['/account', '/account/name', '/devices', '/verify?token=none', '/reset', '/sign-up']) {
      await page.goto(`${site.url}${path}`)
      await page.getByText(`You’re acting as ${owner.account.name}`).waitFor()
      expect(new URL(page.url()).pathname).toBe('/account')
    }
    expect(await findBarriers(page)).toEqual([])
    const refused = page.waitForResponse((response) => response.status() === 403)
    await page.evaluate(() => {
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', action: '/account/name' })
      document.body.append(form)
      form.submit()
    })
    await refused
    await page.waitForURL(`${site.url}/account/name`)
    expect(await findBarriers(page)).toEqual([])
    await page.goto(`${site.url}/account`)
    await page.getByRole('button', { name: 'Stop and sign in again' }).click()
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  },
  4 * stepMs,
)
