import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createVisitor, seedPassword } from '../support/visitor.ts'
import { launchBrowser, reason, timeout } from './launch-browser.ts'

const run = 'button[aria-label^="Execute query"]'

describe('chromium', { timeout: 3 * timeout }, () => {
  const url = inject('quickstartUrl')
  let browser: Browser | null = null

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  const openContext = async (browser: Browser): Promise<BrowserContext> => {
    const context = await browser.newContext()
    context.setDefaultTimeout(timeout)
    return context
  }

  /** Runs a query in GraphiQL and returns what its result pane shows. */
  const runInGraphiql = async (page: Page, query: string): Promise<string> => {
    await page.goto(`${url}/graphiql?query=${encodeURIComponent(query)}`)
    await page.locator(run).click()
    const result = page.locator('.result-window .CodeMirror')
    await result.filter({ hasText: /"(data|errors)"/ }).waitFor()
    return (await result.textContent()) ?? ''
  }

  test('the page at / leads to GraphiQL, and neither breaks its content security policy', async ({ skip }) => {
    if (!browser) return skip(reason)
    const page = await (await openContext(browser)).newPage()
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(url)
    expect(await page.locator('h1').textContent()).toBe('Stories from the lower river')
    await page.getByRole('link', { name: 'Developers', exact: true }).click()
    await page.getByRole('link', { name: 'Read the articles' }).click()
    await page.locator(run).click()
    await page.locator('.result-window', { hasText: 'wordCount' }).waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('each operation that the page for developers opens is written over several lines and gives what its link says', async ({
    skip,
  }) => {
    if (!browser) return skip(reason)
    const page = await (await openContext(browser)).newPage()
    const lines = async () => (await page.locator('.graphiql-query-editor .CodeMirror-line').allTextContents()).length
    const steps = [
      ['Sign in as an author', '"AUTHOR"'],
      ['Change your own article', '"Changed by its author"'],
      ['Change another author’s article (403)', '"FORBIDDEN"'],
      ['Sign in as an administrator', '"ADMIN"'],
      ['Change it as an administrator', '"Changed by an administrator"'],
      ['Read the articles', '"wordCount"'],
      ['See your devices', '"sessions"'],
    ] as const
    for (const [name, result] of steps) {
      await page.goto(`${url}/app/developers`)
      await page.getByRole('link', { name, exact: true }).click()
      await page.locator(run).click()
      await page.locator('.result-window', { hasText: result }).waitFor()
      expect(await lines(), name).toBeGreaterThan(5)
    }
    await page.context().close()
  })

  test('the page for developers leads to the sign-in without scripts, and on to the account with its second factors', async ({
    skip,
  }) => {
    if (!browser) return skip(reason)
    const context = await openContext(browser)
    const page = await context.newPage()
    await page.goto(`${url}/app/developers`)
    await page.getByRole('link', { name: 'pages of its own' }).click()
    await page.getByLabel('Email').fill('reader@example.com')
    await page.getByLabel('Password').fill(seedPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    expect(await page.title()).toBe('Your account · The publication')
    await page.getByText('Authenticator app: not set up').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Stories from the lower river' }).waitFor()
    await page.goto(`${url}/sign-in`)
    // Passkeys belong to a name, and the service is opened by its address here.
    await page.getByRole('link', { name: 'localhost' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    expect(new URL(page.url()).hostname).toBe('localhost')
    await context.close()
  })

  test('the page for developers fits a phone without sideways scrolling', async ({ skip }) => {
    if (!browser) return skip(reason)
    const page = await (await openContext(browser)).newPage()
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(`${url}/app/developers`)
    await page.locator('pre').waitFor()
    const wider = await page
      .locator('html, pre')
      .evaluateAll((elements) => elements.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.tagName))
    expect(wider).toEqual([])
    await page.context().close()
  })

  test('the page for developers leads to the sign-up without scripts, and over the sign-in to the devices', async ({
    skip,
  }) => {
    if (!browser) return skip(reason)
    const context = await openContext(browser)
    const page = await context.newPage()
    await page.goto(`${url}/app/developers`)
    await page.getByRole('link', { name: 'sign up', exact: true }).click()
    await page.getByLabel('Name').fill('Grace')
    await page.getByLabel('Email').fill('grace-from-a-browser@example.com')
    await page.getByLabel('Password').fill('seven kettles hum along')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    await page.goto(`${url}/app/developers`)
    await page.getByRole('link', { name: 'your devices', exact: true }).click()
    await page.getByLabel('Email').fill('editor@example.com')
    await page.getByLabel('Password').fill(seedPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Your devices' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/devices')
    await page.getByText('(this device)').waitFor()
    await context.close()
  })

  test('GraphiQL reads the schema: its documentation has every type, and it knows what a mistake is', async ({
    skip,
  }) => {
    if (!browser) return skip(reason)
    const page = await (await openContext(browser)).newPage()
    await page.goto(`${url}/graphiql?query=${encodeURIComponent('{ articles { titel } }')}`)
    await page.locator('button[aria-label="Show Documentation Explorer"]').click()
    const docs = page.locator('.graphiql-doc-explorer')
    await docs.getByRole('link', { name: 'Query' }).click()
    await docs.getByRole('link', { name: 'articles' }).first().waitFor()
    await docs.getByRole('link', { name: 'SearchResult' }).first().click()
    await docs.getByRole('link', { name: 'Comment' }).first().waitFor()
    await page.locator('.graphiql-query-editor .CodeMirror-lint-mark-error').first().waitFor()
    await page.context().close()
  })

  test('signing in sets a cookie that scripts cannot read, and mutations then work from GraphiQL', async ({ skip }) => {
    if (!browser) return skip(reason)
    const context = await openContext(browser)
    const page = await context.newPage()
    const signIn = `mutation { signIn(input: { email: "author@example.com", password: "${seedPassword}" }) { status } }`
    expect(await runInGraphiql(page, signIn)).toContain('SIGNED_IN')
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ name: '__Host-session', httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })
    expect(await page.evaluate(() => document.cookie)).toBe('')
    expect(await runInGraphiql(page, '{ viewer { name } }')).toContain('Ada Author')
    const create = 'mutation { createArticle(input: { title: "From a browser", body: "Words." }) { status } }'
    expect(await runInGraphiql(page, create)).toContain('DRAFT')
    await context.close()
  })

  test('a subscription in GraphiQL shows events until it is stopped, and a refused subscription shows the reason', async ({
    skip,
  }) => {
    if (!browser) return skip(reason)
    const page = await browser.newPage()
    expect(await runInGraphiql(page, 'subscription { commentAdded(articleId: "1") { id } }')).toContain(
      'UNAUTHENTICATED',
    )
    await page.locator(run).waitFor()

    await page.goto(`${url}/graphiql?query=${encodeURIComponent('subscription { articlePublished { status } }')}`)
    await page.locator(run).click()
    const editor = createVisitor(url)
    await editor.signIn('editor@example.com', 'SESSION')
    const heard = page.locator('.result-window .CodeMirror', { hasText: '"articlePublished"' })
    // An event may come before the source is listened to: it is told again until the page has heard it.
    for (const until = Date.now() + 20_000; (await heard.count()) === 0; await page.waitForTimeout(100)) {
      if (Date.now() > until)
        throw new Error(`nothing was heard: ${await page.locator('.result-window').textContent()}`)
      const created = await editor.ask('mutation { createArticle(input: { title: "News", body: "B" }) { id } }')
      await editor.ask('mutation ($id: ID!) { publishArticle(id: $id) { id } }', created.data.createArticle)
    }
    expect(await heard.textContent()).toContain('PUBLISHED')
    await page.locator('button[aria-label^="Stop query"]').click()
    await page.locator(run).waitFor()
    await page.close()
  }, 60_000)

  test('a page of another origin can neither read nor change anything with the cookie', async ({ skip }) => {
    if (!browser) return skip(reason)
    const context = await openContext(browser)
    const page = await context.newPage()
    // Not as "other", whose role and sessions another test takes away.
    const signIn = `mutation { signIn(input: { email: "author@example.com", password: "${seedPassword}" }) { status } }`
    expect(await runInGraphiql(page, signIn)).toContain('SIGNED_IN')
    await page.goto('about:blank')
    const mutation = { query: 'mutation { createArticle(input: { title: "Forged", body: "Words." }) { id } }' }
    const outcome = await page.evaluate(
      ([target, body]) =>
        fetch(target, {
          method: 'POST',
          credentials: 'include',
          headers: { 'content-type': 'application/json' },
          body,
        }).then(
          ({ status }) => `answered ${status}`,
          () => 'blocked',
        ),
      [`${url}/graphql`, JSON.stringify(mutation)] as const,
    )
    expect(outcome).toBe('blocked')
    expect(await runInGraphiql(page, '{ viewer { name articles(first: 100) { title } } }')).not.toContain('Forged')
    await context.close()
  })
})
