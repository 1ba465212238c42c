import { codeAt } from '@latchkey/test-services'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  nodeStart,
  type Quickstart,
  skewedStart,
  startQuickstart,
  temporaryDirectory,
} from '../support/start-quickstart.ts'
import { createVisitor, seedPassword } from '../support/visitor.ts'
import { launchBrowser, reason, timeout } from './launch-browser.ts'

/** Beyond the five minutes for which a proof is fresh. */
const later = 301_000

describe('the front end', { timeout: 3 * timeout }, () => {
  let service: Quickstart
  let open: Browser | null = null

  beforeAll(async () => {
    service = await startQuickstart({}, nodeStart)
    open = await launchBrowser()
  }, 2 * timeout)
  afterAll(async () => {
    await open?.close()
    await service?.stop()
  })
  beforeEach(({ skip }) => {
    if (!open) skip(reason)
  })

  /** The front end at the name that passkeys belong to. */
  const at = (path = '/') => `${service.url.replace('127.0.0.1', 'localhost')}${path}`

  /** A page in a profile of its own. It fails its test when the page breaks its own policy. */
  const openPage = async (path = '/', options: BrowserContextOptions = {}): Promise<Page> => {
    if (!open) throw new Error(reason)
    const context = await open.newContext(options)
    context.setDefaultTimeout(timeout)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('console', (message) => {
      // A refusal is an answer, and no mistake of the page.
      const isStatus = /the server responded with a status of 4\d\d/.test(message.text())
      if (message.type() === 'error' && !isStatus) complaints.push(message.text())
    })
    onTestFinished(async () => {
      await context.close()
      expect(complaints).toEqual([])
    })
    await page.goto(at(path))
    return page
  }

  const signIn = async (page: Page, email: string, password: string = seedPassword) => {
    await page.goto(at('/app/sign-in'))
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
  }

  const signedIn = async (email: string, path = '/') => {
    const page = await openPage()
    await signIn(page, email)
    await page.getByRole('link', { name: 'Devices', exact: true }).waitFor()
    if (path !== '/') await page.goto(at(path))
    return page
  }

  const signUp = async (page: Page, email: string) => {
    await page.goto(at('/app/sign-up'))
    await page.getByLabel('Name').fill('Grace')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(seedPassword)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    await page.goto(await mailedLink(email))
    await page.getByRole('button', { name: 'Confirm address' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await signIn(page, email)
    await page.getByRole('link', { name: 'Grace' }).waitFor()
  }

  /** The link of the latest mail to an address that is not `used`, as it would be opened in this browser. */
  const mailedLink = async (email: string, used = ''): Promise<string> => {
    const links = async () => {
      const mails = await service.mailsTo(email)
      return mails.flatMap(({ url }) => (url === null ? [] : [url.replace('127.0.0.1', 'localhost')]))
    }
    await expect.poll(async () => (await links()).some((link) => link !== used)).toBe(true)
    return (await links()).findLast((link) => link !== used) ?? ''
  }

  const setUpApp = async (page: Page): Promise<readonly string[]> => {
    await page.goto(at('/app/account'))
    await page.getByRole('button', { name: 'Set up an app' }).click()
    const secret = ((await page.locator('.key').textContent()) ?? '').replaceAll(' ', '')
    await page.getByLabel('Code from your authenticator app').fill(codeAt(secret, Date.now()))
    await page.getByRole('button', { name: 'Confirm code' }).click()
    const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
    await codes.first().waitFor()
    return codes.allTextContents()
  }

  const signOut = async (page: Page) => {
    await page.goto(at('/app/account'))
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }

  test('a visitor opens an account by the link of a mail, and sets a password by another link', async () => {
    const email = 'grace-of-the-front-end@example.com'
    const page = await openPage()
    await signUp(page, email)
    await signOut(page)
    const used = await mailedLink(email)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    await page.goto(await mailedLink(email, used))
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.getByLabel('New password').fill('seven kettles hum along')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('heading', { name: 'Your password is changed' }).waitFor()
    await signIn(page, email)
    await page.getByText('That does not match').waitFor()
    await signIn(page, email, 'seven kettles hum along')
    await page.getByRole('link', { name: 'Grace' }).waitFor()
  })

  test('signs in with a second factor: a code of the app, or a recovery code', async () => {
    const email = 'factor-of-the-front-end@example.com'
    const page = await openPage()
    await signUp(page, email)
    const codes = await setUpApp(page)
    expect(codes.length).toBeGreaterThan(5)
    await signOut(page)
    await signIn(page, email)
    await page.getByRole('heading', { name: 'One more step' }).waitFor()
    await page.getByLabel('Code from your authenticator app').fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('That does not match').waitFor()
    await page.getByLabel('Code from your authenticator app').fill(codes[0] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: 'Grace' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
  })

  test('adds a passkey and signs in by it alone', async () => {
    const page = await signedIn('reader@example.com', '/app/account')
    const client = await page.context().newCDPSession(page)
    await client.send('WebAuthn.enable', { enableUI: false })
    const authenticator = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
    const isPresent = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
    await client.send('WebAuthn.addVirtualAuthenticator', { options: { ...authenticator, ...isPresent } })
    await page.getByLabel('Name of the passkey').fill('My laptop')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Remove My laptop' }).waitFor()
    // The authenticator would accept the offer in the address field of the next page at once, before the button is pressed.
    await page.addInitScript(() => {
      const { credentials } = navigator
      const get = credentials.get.bind(credentials)
      const pending = new Promise<never>(() => {})
      credentials.get = (options) => (options?.mediation === 'conditional' ? pending : get(options))
    })
    await signOut(page)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('link', { name: 'Rae Reader' }).waitFor()
  })

  test('explains a 403 on another author’s article, keeps the text and offers a draft of one’s own', async () => {
    const page = await signedIn('author@example.com')
    const card = page.locator('.card', { hasText: 'Otto Other' }).first()
    const title = (await card.locator('h3').textContent()) ?? ''
    await card.getByRole('link').click()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Title').fill('Taken over')
    await page.getByRole('button', { name: 'Save changes' }).click()
    const refusal = page.getByRole('alert')
    await refusal.getByText('This article belongs to Otto Other').waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Taken over')
    const read = async () => (await createVisitor(service.url).ask('{ articles(first: 100) { title } }')).data.articles
    expect(await read()).toContainEqual({ title })
    expect(await read()).not.toContainEqual({ title: 'Taken over' })
    await refusal.getByRole('button', { name: 'Save it as a draft of your own' }).click()
    await page.getByRole('heading', { name: 'Taken over' }).waitFor()
    await page.getByText('Draft', { exact: true }).waitFor()
  })

  test('shows what an editor publishes in a list that is open elsewhere, without a reload', async () => {
    const reader = await openPage()
    await reader.locator('.card').first().waitFor()
    const author = await signedIn('author@example.com', '/app/write')
    await author.getByLabel('Title').fill('News of the weir')
    await author.getByLabel('Text').fill('It holds.')
    await author.getByRole('button', { name: 'Save draft' }).click()
    await author.getByRole('heading', { name: 'News of the weir' }).waitFor()
    const editor = await signedIn('editor@example.com', new URL(author.url()).pathname)
    expect(await reader.getByText('News of the weir').count()).toBe(0)
    await editor.getByRole('button', { name: 'Publish' }).click()
    await reader.locator('.card.fresh', { hasText: 'News of the weir' }).waitFor()
    expect(await reader.locator('[role=status]').allTextContents()).toContain(
      'Just published: News of the weir, by Ada Author',
    )
  })

  test('a user revokes the session of another device, which then has to sign in', async () => {
    const here = await signedIn('admin@example.com', '/app/devices')
    const there = await signedIn('admin@example.com', '/app/devices')
    await here.reload()
    await here.getByRole('button', { name: 'Sign out Chrome on Linux' }).click()
    await expect.poll(() => here.getByRole('listitem').count()).toBe(1)
    await there.getByRole('link', { name: 'Amin Admin' }).click()
    await there.getByText('Your session has ended').waitFor()
    expect(await here.getByText('This device').count()).toBe(1)
  })

  test('a dialog asks for a fresh proof, and the action then continues', async () => {
    const dataDirectory = await temporaryDirectory()
    const first = await startQuickstart({ DATA_DIR: dataDirectory }, nodeStart)
    const url = first.url.replace('127.0.0.1', 'localhost')
    const page = await openPage()
    await page.goto(`${url}/app/sign-in`)
    await page.getByRole('button', { name: /author@example.com/ }).click()
    await page.getByRole('link', { name: 'Ada Author' }).waitFor()
    await page.goto('about:blank')
    await first.stop()
    const environment = { DATA_DIR: dataDirectory, PORT: new URL(url).port, SKEW_MS: String(later) }
    const second = await startQuickstart(environment, skewedStart)
    onTestFinished(async () => void (await second.stop()))
    await page.goto(`${url}/app/account`)
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    const begin = page.getByRole('button', { name: 'Set up an app' })

    await begin.click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.locator('.qr').count()).toBe(0)

    await begin.click()
    await dialog.getByLabel('Password').fill('otters sing loudly at noon')
    await page.keyboard.press('Enter')
    await dialog.getByText('That does not match').waitFor()
    await violations(page)
    await dialog.getByLabel('Password').fill(seedPassword)
    await page.keyboard.press('Enter')
    await page.locator('.qr').waitFor()
    expect(await dialog.count()).toBe(0)
  })

  test('is used by the keyboard alone', async () => {
    const page = await openPage()
    await page.locator('.card').first().waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('Stories from the lower river')
    for (let steps = 0; (await focused()) !== 'Create an account' && steps < 10; steps++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('Create an account')
    expect(await page.title()).toBe('Create an account · The publication')
  })

  const views = ['/', '/app/sign-in', '/app/sign-up', '/app/developers']
  const viewsOfAuthor = ['/app/account', '/app/devices', '/app/write']

  test('no view breaks a rule of accessibility or is wider than the screen, light and wide, dark and narrow', async () => {
    const page = await openPage()
    const look = async (path: string) => {
      await page.goto(at(path))
      await page.locator('h1').waitFor()
      await page.locator('[aria-busy=true], .skeleton').first().waitFor({ state: 'detached' })
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 360],
      ] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 740 })
        // Colours that are on their way have another contrast.
        await page.evaluate(async () => {
          const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
          await Promise.allSettled(transitions.map(({ finished }) => finished))
        })
        expect([path, width, await violations(page)]).toEqual([path, width, []])
        const shown = await page.evaluate(() => document.documentElement.scrollWidth)
        expect([path, shown]).toEqual([path, width])
      }
    }
    for (const path of views) await look(path)
    await signIn(page, 'author@example.com')
    await page.getByRole('link', { name: 'Devices', exact: true }).waitFor()
    for (const path of viewsOfAuthor) await look(path)
    await page.goto(at())
    await page.locator('.card a').first().click()
    await page.getByRole('heading', { name: 'Comments' }).waitFor()
    await look(new URL(page.url()).pathname)
  })
})

/** Runs axe-core in the world of the test, where the policy of the page does not hold it back. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
