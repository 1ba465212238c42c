import { codeAt } from '@latchkey/test-services'
import type { Page } from 'playwright-core'
import type { Site } from '../browser.ts'
import { follow, heading, press, type } from './browser-steps.ts'

export const codeLabel = 'Code from your authenticator app'

/** Sets an app up from the page of the account, and returns its secret and the recovery codes. */
export async function setUpApp(
  page: Page,
  { clock }: Pick<Site, 'clock'>,
): Promise<{ readonly secret: string; readonly codes: readonly string[] }> {
  await follow(page, 'Authenticator app')
  await press(page, 'Set up app')
  await heading(page, 'Set up authenticator app')
  const secret = await presentedSecret(page)
  await type(page, codeLabel, codeAt(secret, clock.time))
  await press(page, 'Confirm code')
  await heading(page, 'Save your recovery codes')
  const codes = ((await page.getByLabel('Recovery codes').textContent()) ?? '').trim().split('\n')
  return { secret, codes }
}

/** Returns the key that the page shows of an app that is being set up. */
export async function presentedSecret(page: Page): Promise<string> {
  return ((await page.getByLabel('Setup key').textContent()) ?? '').replaceAll(' ', '')
}

/** An authenticator that verifies its user, and answers at once if it is touched. */
export async function addAuthenticator(page: Page, { isTouched = true } = {}): Promise<void> {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable', { enableUI: false })
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: isTouched },
  })
}
