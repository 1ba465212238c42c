import { expect, test } from 'vitest'
import { openPage, openSite, stepMs, useBrowser } from '../support/browser.ts'

const browser = useBrowser()

test('eight tabs of a browser which send fifty requests each, all at once, are answered', {
  timeout: 3 * stepMs,
}, async () => {
  const { url } = await openSite()
  // What is shown there may not be scripted.
  const first = await openPage(browser(), { bypassCSP: true })
  const others = Array.from({ length: 7 }, () => first.context().newPage())
  const tabs = [first, ...(await Promise.all(others))]
  await Promise.all(tabs.map((tab) => tab.goto(`${url}/healthz`)))
  const ask = () =>
    Promise.all(
      Array.from({ length: 50 }, async () => {
        const headers = { 'content-type': 'application/json' }
        const response = await fetch('/graphql', { method: 'POST', headers, body: '{"query":"{ hello }"}' })
        return `${response.status} ${await response.text()}`
      }),
    )
  const answers = await Promise.all(tabs.map((tab) => tab.evaluate(ask)))
  expect(answers.flat()).toEqual(Array(400).fill('200 {"data":{"hello":"Hello"}}'))
})
