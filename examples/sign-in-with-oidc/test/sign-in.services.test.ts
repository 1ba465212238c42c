import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createFormBrowser, type FormBrowser, type Visited } from './support/form-browser.ts'
import { passProvider } from './support/people.ts'
import { createFolder, findPort, startProgram } from './support/start-program.ts'

const example = fileURLToPath(new URL('..', import.meta.url))

/** What the page of the account says. */
const ada = 'You’re signed in as <strong>Ada</strong> (<strong>ada@example.com</strong>).'

interface Example {
  readonly provider: string
  readonly application: string
}

/** Starts both services by the command of the example, with new folders for what they keep. */
async function startExample(): Promise<Example> {
  const { scripts } = JSON.parse(readFileSync(`${example}/package.json`, 'utf8')) as { scripts: { start: string } }
  const [program, ...args] = scripts.start.split(' ')
  expect(program).toBe('node')
  const command = args.map((arg) => (arg.endsWith('.ts') ? `${example}/${arg}` : arg))
  const [provider, application] = [await findPort(), await findPort()]
  const env = { PROVIDER_PORT: String(provider), APPLICATION_PORT: String(application) }
  const printed = await startProgram(command, { folder: createFolder(), env, ready: /Harbour.*\n/ })
  expect(printed).toContain(`Lighthouse, the provider, is http://127.0.0.1:${provider}`)
  expect(printed).toContain(`Harbour, the application, is http://localhost:${application}/account`)
  return { provider: `http://127.0.0.1:${provider}`, application: `http://localhost:${application}` }
}

async function signIn(browser: FormBrowser, { application }: Example, email = 'ada@example.com'): Promise<Visited> {
  const page = await browser.open(`${application}/account`)
  expect([page.url.pathname, page.text.includes('Sign in with Lighthouse')]).toEqual(['/sign-in', true])
  return passProvider(browser, await browser.press(page, 'Sign in with Lighthouse'), email)
}

describe('the example, started by its command', () => {
  test('signs in with the provider, opens the account the first time, and redirects to the page that required the sign-in', async () => {
    const services = await startExample()
    const page = await signIn(createFormBrowser(), services)
    expect([page.status, page.url.href]).toEqual([200, `${services.application}/account`])
    expect(page.text).toContain(ada)
    const again = await signIn(createFormBrowser(), services)
    expect(again.text).toContain(ada)
  })

  test('revokes the session when its user signs out at the provider', async () => {
    const services = await startExample()
    const browser = createFormBrowser()
    await signIn(browser, services)
    await browser.press(await browser.open(`${services.provider}/account`), 'Sign out')
    const pathOf = async () => (await browser.open(`${services.application}/account`)).url.pathname
    await expect.poll(pathOf).toBe('/sign-in')
  })

  test('opens no session if the user denies the consent at the provider', async () => {
    const services = await startExample()
    const browser = createFormBrowser()
    const asked = await browser.press(await browser.open(`${services.application}/account`), 'Sign in with Lighthouse')
    const consent = await browser.press(asked, 'Sign in', {
      email: 'ada@example.com',
      password: 'otters read quietly at dawn',
    })
    expect(consent.url.pathname).toBe('/consent')
    const refused = await browser.press(consent, 'Don’t allow')
    expect([refused.status, refused.text.includes('access_denied')]).toEqual([401, true])
    expect((await browser.open(`${services.application}/account`)).url.pathname).toBe('/sign-in')
  })
})
