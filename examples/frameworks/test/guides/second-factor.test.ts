import { beforeAll, describe, expect, test, vi } from 'vitest'
import { addSecondFactor, codeIn, withoutApp } from './second-factor-app.ts'
import { type Started, startApp } from './start-guide.ts'
import { createVisitor, type Visited, type Visitor } from './visitor.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const [session, challenge] = ['__Host-session', '__Host-challenge']

/** A code that is none of the app's around now. */
function wrongCode(): string {
  const right = [-2, -1, 0, 1, 2].map(codeIn)
  return ['111111', '222222', '333333', '444444', '555555', '666666'].find((code) => !right.includes(code)) ?? ''
}

describe('the application of the guides with a second factor', () => {
  let app: Started
  beforeAll(async () => {
    app = await startApp(addSecondFactor)
    return app.stop
  })

  const recoveryCodesOf = (name: string): readonly string[] =>
    new RegExp(`^recovery ${name} (.*)$`, 'm').exec(app.printed())?.[1]?.split(' ') ?? []

  /** A browser that has shown the right password, and the form for the code. */
  async function open(name: string, returnTo = '/'): Promise<{ readonly browser: Visitor; readonly csrf: string }> {
    const browser = createVisitor(app.origin)
    expect(await browser.signIn(name, { returnTo })).toMatchObject({ status: 303, location: '/second-factor' })
    return { browser, csrf: (await browser.get('/second-factor')).csrf }
  }
  const send = (
    { browser, csrf }: { readonly browser: Visitor; readonly csrf: string },
    code: string,
  ): Promise<Visited> => browser.post('/second-factor', { csrf, code })

  async function expectSignedOut(browser: Visitor): Promise<void> {
    expect(browser.jar.has(session)).toBe(false)
    expect(await browser.get('/')).toMatchObject({ status: 303 })
  }

  test('signs in a user without an app at once, and a user with an app after the code', async () => {
    const browser = createVisitor(app.origin)
    expect(await browser.signIn(withoutApp)).toMatchObject({ status: 303, location: '/' })
    const step = await open('ada', '/inbox')
    await expectSignedOut(step.browser)
    expect(await send(step, codeIn())).toMatchObject({ status: 303, location: '/inbox' })
    expect((await step.browser.get('/')).text).toContain('signed in as ada')
    expect(step.browser.jar.has(challenge)).toBe(false)
  })

  test('does not accept a challenge as a session', async () => {
    const { browser } = await open('ada')
    browser.jar.set(session, browser.jar.get(challenge) ?? '')
    expect(await browser.get('/')).toMatchObject({ status: 303 })
  })

  test('refuses a right code after five wrong codes, and the challenge has expired', async () => {
    const step = await open('ben')
    for (let tries = 0; tries < 5; tries++) expect(await send(step, wrongCode())).toMatchObject({ status: 401 })
    const kept = step.browser.jar.get(challenge) ?? ''
    expect(await send(step, codeIn())).toMatchObject({ status: 303, location: '/sign-in' })
    await expectSignedOut(step.browser)
    step.browser.jar.set(challenge, kept)
    expect(await step.browser.get('/second-factor')).toMatchObject({ status: 303, location: '/sign-in' })
  })

  test('tests five of twenty wrong codes at once', async () => {
    const step = await open('lea')
    const sent = await Promise.all(Array.from({ length: 20 }, () => send(step, wrongCode())))
    expect(sent.filter(({ status }) => status === 401)).toHaveLength(5)
    await expectSignedOut(step.browser)
  })

  test('refuses a right code after ten wrong codes of the account, also with a new challenge', async () => {
    for (const step of [await open('kim'), await open('kim')]) {
      for (let tries = 0; tries < 5; tries++) expect(await send(step, wrongCode())).toMatchObject({ status: 401 })
    }
    const step = await open('kim')
    const refused = await send(step, codeIn())
    expect(refused).toMatchObject({ status: 429, cookies: [] })
    expect(Number(refused.retryAfter)).toBeGreaterThan(60)
    await expectSignedOut(step.browser)
    expect(await send(await open('cleo'), codeIn())).toMatchObject({ status: 303, location: '/' })
  })

  test('refuses a used code, and accepts the code of the next period', async () => {
    const [first, second] = [await open('dan'), await open('dan')]
    const code = codeIn()
    expect(await send(first, code)).toMatchObject({ status: 303, location: '/' })
    expect(await send(second, code)).toMatchObject({ status: 401, cookies: [] })
    await expectSignedOut(second.browser)
    expect(await send(second, codeIn(1))).toMatchObject({ status: 303, location: '/' })
  })

  test('refuses the form of another browser, with and without its own challenge', async () => {
    const [own, foreign] = [await open('eve'), await open('finn')]
    const code = codeIn()
    expect(await send({ browser: foreign.browser, csrf: own.csrf }, code)).toMatchObject({ status: 403, cookies: [] })
    const stranger = createVisitor(app.origin)
    expect(await send({ browser: stranger, csrf: own.csrf }, code)).toMatchObject({ status: 303, location: '/sign-in' })
    for (const browser of [foreign.browser, stranger]) await expectSignedOut(browser)
    expect(await send(own, code)).toMatchObject({ status: 303, location: '/' })
    expect((await own.browser.get('/')).text).toContain('signed in as eve')
  })

  test('does not count wrong codes that another site has sent', async () => {
    const step = await open('finn')
    const foreign = { 'sec-fetch-site': 'cross-site' }
    for (let tries = 0; tries < 6; tries++) {
      const forged = await step.browser.post('/second-factor', { csrf: step.csrf, code: wrongCode() }, foreign)
      expect(forged).toMatchObject({ status: 403, cookies: [] })
    }
    expect(await send(step, codeIn())).toMatchObject({ status: 303, location: '/' })
  })

  test('starts one session for one right code that is sent ten times at once', async () => {
    const step = await open('gil')
    const code = codeIn()
    const sent = await Promise.all(Array.from({ length: 10 }, () => send(step, code)))
    expect(sent.filter(({ cookies }) => cookies.some((line) => line.startsWith(`${session}=`)))).toHaveLength(1)
  })

  test('starts one session for two right codes that are sent at once with one challenge', async () => {
    const step = await open('hal')
    const [recovery = ''] = recoveryCodesOf('hal')
    const sent = await Promise.all([
      send(step, codeIn()),
      send(step, recovery),
      send(step, codeIn()),
      send(step, recovery),
    ])
    expect(sent.filter(({ cookies }) => cookies.some((line) => line.startsWith(`${session}=`)))).toHaveLength(1)
  })

  test('takes a recovery code once, and tells the owner', async () => {
    const [first, second] = [await open('ida'), await open('ida')]
    const [code = ''] = recoveryCodesOf('ida')
    expect(await send(first, code)).toMatchObject({ status: 303, location: '/' })
    await expect.poll(app.printed).toContain('mail to ida: a recovery code was used, 9 are left')
    expect(await send(second, code)).toMatchObject({ status: 401, cookies: [] })
    await expectSignedOut(second.browser)
  })

  test('revokes the earlier session of the browser when the new session starts, and not before', async () => {
    const browser = createVisitor(app.origin)
    await browser.signIn(withoutApp)
    const before = browser.jar.get(session) ?? ''
    expect(await browser.signIn('cleo')).toMatchObject({ location: '/second-factor' })
    expect((await browser.get('/')).text).toContain(`signed in as ${withoutApp}`)
    const { csrf } = await browser.get('/second-factor')
    expect(await send({ browser, csrf }, codeIn(1))).toMatchObject({ status: 303, location: '/' })
    const thief = createVisitor(app.origin)
    thief.jar.set(session, before)
    expect(await thief.get('/')).toMatchObject({ status: 303 })
    expect((await browser.get('/')).text).toContain('signed in as cleo')
  })
})
