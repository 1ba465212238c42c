import { createPasskeys } from '@latchkey/passkeys'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { describe, expect, test } from 'vitest'
import { findBarriers, openPage, openSite, stepMs, useBrowser } from '../../support/browser.ts'
import { type Walk, walkOwnAccount, walkUndoing, walkWithoutAccount } from '../../support/steps/walk.ts'

const browser = useBrowser()

const factors = { signIn: { totp: createTotp, passkeys: createPasskeys, recoveryCodes: createRecoveryCodes } }

/** A visit that looks for barriers, and for what every page has, on each page of a walk. */
async function beginWalk(): Promise<Walk & { readonly found: string[]; readonly seen: string[] }> {
  const site = await openSite({
    ...factors,
    pages: { name: 'Notes' },
    accounts: { deletion: { onDelete: () => undefined } },
  })
  const page = await openPage(browser())
  const [found, seen]: [string[], string[]] = [[], []]
  const look = async (name: string) => {
    seen.push(name)
    const barriers = await findBarriers(page)
    const heading = await page.getByRole('heading', { level: 1 }).textContent()
    const [title, language] = [await page.title(), await page.locator('html').getAttribute('lang')]
    if (title !== `${heading} · Notes`) barriers.push(`the title is "${title}"`)
    if (language !== 'en') barriers.push(`the language is "${language}"`)
    const wrong = page.locator('[aria-invalid]')
    const hasFocus = (element: Element) => element === document.activeElement
    if ((await wrong.count()) > 0 && !(await wrong.evaluate(hasFocus))) barriers.push('what is wrong has no focus')
    found.push(...barriers.map((barrier) => `${name}: ${barrier}`))
  }
  return { site, page, look, found, seen }
}

describe('the account pages have no axe-core violations, in light, and in dark on a phone', {
  timeout: 10 * stepMs,
}, () => {
  test('from the sign-up to a new password, and behind dead links', async () => {
    const walk = await beginWalk()
    await walkWithoutAccount(walk)
    expect([walk.found, walk.seen.length]).toEqual([[], 17])
  })

  test('from the account through all its changes to its deletion', async () => {
    const walk = await beginWalk()
    const { email } = await walk.site.insert({ name: 'A'.repeat(100) })
    await walkOwnAccount(walk, email)
    expect([walk.found, walk.seen.length]).toEqual([[], 23])
  })

  test('after an undone change of address', async () => {
    const walk = await beginWalk()
    await walkUndoing(walk, (await walk.site.insert()).email)
    expect([walk.found, walk.seen]).toEqual([[], ['email-undone']])
  })
})
