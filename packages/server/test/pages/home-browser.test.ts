import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openPage, openSite, stepMs, useBrowser } from '../support/browser.ts'
import { follow, heading, press, typePassword } from '../support/steps/browser-steps.ts'
import { codeLabel, setUpApp } from '../support/steps/factor-steps.ts'

const browser = useBrowser()

/** An application at another origin, until the test is over. */
async function openApplication(): Promise<string> {
  const application = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end('<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Notes</title><h1>Notes</h1>')
  })
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    application.closeAllConnections()
    await new Promise((resolve) => application.close(resolve))
  })
  return `http://127.0.0.1:${(application.address() as AddressInfo).port}`
}

describe('an application at another origin than the pages', { timeout: 4 * stepMs }, () => {
  test('is the destination of sign-in, second factor and sign-out, and the pages link back to it, without scripts', async () => {
    const home = `${await openApplication()}/notes`
    const site = await openSite({
      pages: { name: 'Notes', home },
      signIn: { totp: createTotp, recoveryCodes: createRecoveryCodes },
    })
    const { email } = await site.insert({ name: 'Ada' })
    const page = await openPage(browser(), { javaScriptEnabled: false })
    await page.goto(`${site.url}/sign-in`)
    await typePassword(page, email)
    await heading(page, 'Notes')
    expect(page.url()).toBe(home)

    await page.goto(`${site.url}/account`)
    const { secret } = await setUpApp(page, site)
    await page.goto(`${site.url}/account`)
    await follow(page, 'Back to the app')
    await heading(page, 'Notes')
    await page.goto(`${site.url}/account`)
    await press(page, 'Sign out')
    await heading(page, 'Notes')
    expect(page.url()).toBe(home)

    await page.goto(`${site.url}/sign-in`)
    await typePassword(page, email)
    await heading(page, 'Confirm it’s you')
    site.advance(30)
    await page.getByLabel(codeLabel).fill(codeAt(secret, site.clock.time))
    await press(page, 'Continue')
    await heading(page, 'Notes')
    await page.goto(`${site.url}/devices`)
    await follow(page, 'Notes')
    expect(page.url()).toBe(home)
  })
})
