import type { AuthClient } from '@latchkey/client'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openContext, openStage, openTab, sharedBrowser } from './stage.ts'

const browser = sharedBrowser()

declare const auth: AuthClient

/** A page that renders `useStepUp`, whose sign-in is too old for `publish`. */
async function openStale() {
  const stage = await openStage()
  const page = await openTab(await openContext(browser()), stage)
  const { account, password } = await stage.service.signedIn({ role: 'READER' })
  await page.evaluate((given) => auth.signIn(given).then(() => {}), { email: account.email, password })
  await page.evaluate(() => Reflect.get(globalThis, 'render')(auth))
  await stage.service.clock.advance({ minutes: 6 })
  return { stage, page, password }
}

/** Publishes as often as asked, and returns the codes of refusals, or nothing for each that ran. */
function publish(page: Page, count: number): Promise<(string | null)[]> {
  return page.evaluate(
    (calls) =>
      Promise.all(
        Array.from({ length: calls }, () =>
          auth.request('mutation { publish }').then(
            () => null,
            ({ code }) => code,
          ),
        ),
      ),
    count,
  )
}

test('useStepUp shows one request for three mutations, keeps it after a wrong password, and removes it after the right one', {
  timeout: 60_000,
}, async () => {
  const { stage, page, password } = await openStale()
  const published = publish(page, 3)
  await page.waitForSelector('form:has-text("password")')
  expect(await page.locator('form').count()).toBe(1)
  await page.fill('input', 'a wrong password')
  await page.click('text=Confirm')
  await page.waitForFunction(() => Reflect.get(globalThis, 'refusal') === 'INVALID_CREDENTIALS')
  expect(await page.locator('form').count()).toBe(1)
  expect(stage.writes.count).toBe(0)
  await page.fill('input', password)
  await page.click('text=Confirm')
  expect(await published).toEqual([null, null, null])
  await page.waitForSelector('form', { state: 'detached' })
  expect(stage.writes.count).toBe(3)
})

test('a step-up that is cancelled in React rejects the waiting mutations, and the next mutation asks again', {
  timeout: 60_000,
}, async () => {
  const { stage, page } = await openStale()
  for (const count of [2, 1]) {
    const published = publish(page, count)
    await page.waitForSelector('form')
    await page.click('text=Cancel')
    expect(await published).toEqual(Array.from({ length: count }, () => 'STEP_UP_CANCELLED'))
    await page.waitForSelector('form', { state: 'detached' })
  }
  expect(stage.writes.count).toBe(0)
})
