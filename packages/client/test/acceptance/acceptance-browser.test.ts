import type { AuthClient } from '@latchkey/client'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openContext, openStage, openTab, type Stage, sharedBrowser } from './stage.ts'

const browser = sharedBrowser()
const stepMs = 60_000

declare const auth: AuthClient

async function openSignedIn(options: { readonly delivery?: 'session' | 'token' } = {}) {
  const stage = await openStage()
  const context = await openContext(browser())
  const page = await openTab(context, stage, options)
  const { account, password } = await stage.service.signedIn({ role: 'READER' })
  const { email } = account
  await page.evaluate((given) => auth.signIn(given).then(({ status }) => status), { email, password })
  stage.arrived.length = 0
  return { stage, context, page, email, password }
}

const stateOf = (page: Page) => page.evaluate(() => auth.getState().status)

async function reach(page: Page, status: string): Promise<void> {
  await page.waitForFunction((wanted) => auth.getState().status === wanted, status, { timeout: 10_000 })
}

/** Sends as many queries at once, and returns how long until all were answered. */
const askAll = (page: Page, count: number) =>
  page.evaluate(async (calls) => {
    const began = performance.now()
    await Promise.all(Array.from({ length: calls }, (_, index) => auth.request(`{ a${index}: secret }`)))
    return performance.now() - began
  }, count)

/** Renews the session of a browser as a program beside its pages: their CSRF token is stale then. */
async function confirmElsewhere({ request }: BrowserContext, { url }: Stage, currentPassword: string): Promise<void> {
  const post = async (query: string, csrfToken = '') => {
    const headers = { 'x-csrf-token': csrfToken, 'sec-fetch-site': 'same-origin' }
    const answer = await request.post(`${url}/graphql`, {
      data: { query, variables: { i: { currentPassword } } },
      headers,
    })
    expect(answer.status()).toBe(200)
    return (await answer.json()).data
  }
  const { csrfToken } = await post('{ csrfToken }')
  await post('mutation($i:ConfirmPasswordInput!){confirmPassword(input:$i){status}}', csrfToken)
}

const report = (row: string, figures: object) => console.log(`${row}: ${JSON.stringify(figures)}`)

describe('session delivery', { timeout: stepMs }, () => {
  test('a signed-in page that arrives again asks once', async () => {
    const { stage, page } = await openSignedIn()
    await page.reload()
    await page.evaluate(() => {
      const client = Reflect.get(globalThis, 'createAuthClient')()
      Object.assign(globalThis, { auth: client })
      client.subscribe(() => {})
    })
    await reach(page, 'signed-in')
    expect(stage.arrived.map(({ query }) => query.slice(0, 9))).toEqual(['{session{'])
  })

  test('offline: 20 queries are answered within 1.5 s of the return, a mutation fails within 1 s and ran never', async () => {
    const { stage, context, page } = await openSignedIn()
    await context.setOffline(true)
    await page.evaluate(() => {
      const answers = Promise.all(Array.from({ length: 20 }, (_, index) => auth.request(`{ a${index}: secret }`)))
      Object.assign(globalThis, { answers: answers.then(() => performance.now()) })
    })
    const mutation = await page.evaluate(async () => {
      const began = performance.now()
      const code = await auth.request('mutation { write }').then(
        () => 'ran',
        (error) => error.code,
      )
      return { code, ms: performance.now() - began }
    })
    await page.waitForTimeout(3000)
    await page.evaluate(() => addEventListener('online', () => Object.assign(globalThis, { back: performance.now() })))
    await context.setOffline(false)
    const ms = await page.evaluate(
      async () => (await Reflect.get(globalThis, 'answers')) - Reflect.get(globalThis, 'back'),
    )
    report('offline', { mutationMs: mutation.ms, answeredMs: ms, writes: stage.writes.count })
    expect(mutation.code).toBe('NETWORK')
    expect(mutation.ms).toBeLessThan(1000)
    expect(ms).toBeLessThan(1500)
    expect(stage.writes.count).toBe(0)
    expect(await stateOf(page)).toBe('signed-in')
  })

  test('away: 20 queries are answered within 1.5 s of the return of the service', async () => {
    const { stage, page } = await openSignedIn()
    stage.isAway = true
    const answered = askAll(page, 20)
    // A wait that doubles without a bound would be at two to four seconds here.
    await page.waitForTimeout(4200)
    const back = performance.now()
    stage.isAway = false
    await answered
    const ms = performance.now() - back
    report('away', { answeredMs: ms })
    expect(ms).toBeLessThan(1500)
  })

  test('busy: one request per query and second', async () => {
    const { stage, page } = await openSignedIn()
    stage.busy = () => ({ status: 503, headers: { 'retry-after': '1' } })
    const answered = askAll(page, 5)
    await page.waitForTimeout(5000)
    const requests = stage.arrived.length
    stage.busy = () => null
    await answered
    report('busy', { requests, queries: 5, seconds: 5 })
    expect(requests).toBeLessThanOrEqual(25)
    expect(requests).toBeGreaterThanOrEqual(15)
  })

  test('stale CSRF token: each mutation runs once', async () => {
    const { stage, context, page, password } = await openSignedIn()
    const other = await openTab(context, stage)
    await reach(other, 'signed-in')
    // Neither page hears of this new token.
    await confirmElsewhere(context, stage, password)
    stage.arrived.length = 0
    await Promise.all(
      [page, other].map((tab) => tab.evaluate(() => Promise.all([1, 2, 3].map(() => auth.request('mutation{write}'))))),
    )
    report('stale CSRF token', { writes: stage.writes.count, requests: stage.arrived.length })
    expect(stage.writes.count).toBe(6)
    expect(stage.arrived.length).toBeGreaterThan(6)
  })

  test('two tabs: a sign-out and a sign-in of another user reach the other tab within 500 ms', async () => {
    const { stage, context, page } = await openSignedIn()
    const other = await openTab(context, stage)
    await reach(other, 'signed-in')
    await page.evaluate(() => auth.signOut())
    const began = performance.now()
    await reach(other, 'signed-out')
    const signedOutMs = performance.now() - began
    const second = await stage.service.signedIn({ role: 'READER' })
    await page.evaluate((given) => auth.signIn(given).then(() => {}), {
      email: second.account.email,
      password: second.password,
    })
    const begunAgain = performance.now()
    await reach(other, 'signed-in')
    const signedInMs = performance.now() - begunAgain
    report('two tabs', { signedOutMs, signedInMs })
    expect(signedOutMs).toBeLessThan(500)
    expect(signedInMs).toBeLessThan(500)
  })

  test('two tabs: a page of one user renders no answer of another who signs in on the pages of the service', async () => {
    const { stage, context, page, email } = await openSignedIn()
    const second = await stage.service.signedIn({ role: 'READER' })
    await page.evaluate(() => {
      const users: unknown[] = []
      auth.onUserChange((user) => users.push(user?.email))
      Object.assign(globalThis, { users })
    })
    const { request } = context
    const form = { email: second.account.email ?? '', password: second.password ?? '' }
    const headers = { origin: stage.url, 'sec-fetch-site': 'same-origin' }
    const signedIn = await request.post(`${stage.url}/sign-in`, { form, headers, maxRedirects: 0 })
    expect(signedIn.status()).toBe(303)
    stage.arrived.length = 0
    const rendered = await page.evaluate(async () => {
      const answer = await auth.request('{ viewer { email } }')
      return { answer, users: Reflect.get(globalThis, 'users') }
    })
    report('two users', { requests: stage.arrived.length })
    expect(email).not.toBe(second.account.email)
    // The listeners have run before the answer, so caches are empty.
    expect(rendered).toEqual({
      answer: { viewer: { email: second.account.email } },
      users: [second.account.email],
    })
    expect(stage.arrived.length).toBe(3)
  })

  test('signed out offline: the next page sends it first', async () => {
    const { context, stage, page } = await openSignedIn()
    await context.setOffline(true)
    await page.evaluate(() => auth.signOut())
    expect(await stateOf(page)).toBe('signed-out')
    await page.close()
    await context.setOffline(false)
    const next = await openTab(context, stage)
    const code = await next.evaluate(() => auth.request('{ secret }').catch((error) => error.code))
    expect(code).toBe('UNAUTHENTICATED')
    expect(stage.count('mutation{signOut}')).toBeGreaterThan(0)
  })

  test('storage: two cookies that no script reads, and in localStorage the sign-out until the service has it', async () => {
    const { stage, context, page } = await openSignedIn()
    const kept = () =>
      page.evaluate(async () => {
        const databases = await indexedDB.databases()
        return { local: { ...localStorage }, session: { ...sessionStorage }, databases, cookies: document.cookie }
      })
    const nothing = { local: {}, session: {}, databases: [], cookies: '' }
    await page.evaluate(() => auth.request('mutation { write }'))
    expect(await kept()).toEqual(nothing)
    const cookies = await context.cookies()
    expect(cookies.map(({ name, httpOnly }) => [name, httpOnly]).sort()).toEqual([
      ['__Host-device', true],
      ['__Host-session', true],
    ])
    const { at, id } = await page.evaluate(() => {
      const state = auth.getState()
      if (state.status !== 'signed-in') throw new Error(state.status)
      return { at: state.session.authenticatedAt, id: state.user.id }
    })
    stage.isAway = true
    await page.evaluate(() => auth.signOut())
    const local = { 'latchkey /graphql out': JSON.stringify({ at, id, everywhere: false }) }
    expect(await kept()).toEqual({ ...nothing, local })
    stage.isAway = false
    await page.evaluate(() => auth.refetch())
    expect(await kept()).toEqual(nothing)
  })

  test('StrictMode: 1 arrival', async () => {
    const { stage, page } = await openSignedIn()
    await page.reload()
    await page.evaluate(() => Reflect.get(globalThis, 'render')(Reflect.get(globalThis, 'createAuthClient')()))
    await page.waitForSelector('main:has-text("signed-in")')
    report('StrictMode', { requests: stage.arrived.length })
    expect(stage.arrived.length).toBe(1)
  })

  test('300 × create and dispose: no listener left', async () => {
    const { page } = await openSignedIn()
    const left = await page.evaluate(async () => {
      const counts = { added: 0, removed: 0 }
      const { addEventListener } = EventTarget.prototype
      EventTarget.prototype.addEventListener = function (this: EventTarget, type, listener, options) {
        if (this === document || this === window) {
          counts.added++
          const { signal } = options as AddEventListenerOptions
          signal?.addEventListener('abort', () => counts.removed++)
        }
        addEventListener.call(this, type, listener, options)
      }
      for (let index = 0; index < 300; index++) {
        const client = Reflect.get(globalThis, 'createAuthClient')()
        client.subscribe(() => {})
        client.dispose()
      }
      EventTarget.prototype.addEventListener = addEventListener
      await new Promise((resolve) => setTimeout(resolve, 500))
      return counts
    })
    report('300 × create and dispose', left)
    expect(left.added).toBeGreaterThanOrEqual(300)
    expect(left.removed).toBe(left.added)
  })
})

describe('a clock an hour off', { timeout: stepMs }, () => {
  test.each([
    ['session', 'behind', -3_600_000],
    ['session', 'ahead', 3_600_000],
    ['token', 'behind', -3_600_000],
    ['token', 'ahead', 3_600_000],
  ] as const)('%s delivery, a clock an hour %s: no request more', async (delivery, side, offset) => {
    const stage = await openStage()
    const context = await openContext(browser())
    await context.addInitScript((off) => {
      const { now } = Date
      Date.now = () => now() + off
    }, offset)
    const page = await openTab(context, stage, { delivery })
    const { account, password } = await stage.service.signedIn({ role: 'READER' })
    await page.evaluate((given) => auth.signIn(given).then(() => {}), { email: account.email, password })
    stage.arrived.length = 0
    await askAll(page, 10)
    await page.evaluate(() => auth.request('mutation{write}'))
    report(`${delivery} delivery, a clock an hour ${side}`, { requests: stage.arrived.length })
    expect(stage.arrived.length).toBe(11)
  })
})

/** Ends what the access tokens of a page count for, and leaves its sign-in. */
const expire = ({ service }: Stage) => service.clock.advance({ minutes: 20 })

describe('token delivery', { timeout: stepMs }, () => {
  test('two tabs, 100 calls, bad token: 1 rotation', async () => {
    const { stage, context, page } = await openSignedIn({ delivery: 'token' })
    const other = await openTab(context, stage, { delivery: 'token' })
    await reach(other, 'signed-in')
    await expire(stage)
    stage.arrived.length = 0
    await Promise.all([askAll(page, 50), askAll(other, 50)])
    report('two tabs, 100 calls, bad token', { rotations: stage.count('refresh(') })
    expect(stage.count('refresh(')).toBe(1)
  })

  test('a sleeping tab holds the lock: all answered in 4.5 s, at most 2 rotations', async () => {
    const { stage, context, page } = await openSignedIn({ delivery: 'token' })
    const other = await openTab(context, stage, { delivery: 'token' })
    await reach(other, 'signed-in')
    const sleeping = await context.newPage()
    await sleeping.goto(stage.url)
    await sleeping.evaluate(
      (name) =>
        new Promise<void>((resolve) => {
          const hold = (): Promise<never> => {
            resolve()
            return new Promise(() => {})
          }
          void navigator.locks.request(name, hold)
        }),
      'latchkey /graphql token',
    )
    await expire(stage)
    stage.arrived.length = 0
    const [ms] = await Promise.all([askAll(page, 50), askAll(other, 50)])
    report('a sleeping tab holds the lock', { ms, rotations: stage.count('refresh(') })
    expect(ms).toBeLessThan(4500)
    expect(stage.count('refresh(')).toBeLessThanOrEqual(2)
  })

  test('a lost response and ten minutes away: the user stays signed in', async () => {
    const { stage, context, page } = await openSignedIn({ delivery: 'token' })
    await expire(stage)
    stage.loses = (query) => {
      const isRefresh = query.includes('refresh(')
      if (isRefresh) stage.isAway = true
      return isRefresh
    }
    await page.evaluate(() => void auth.request('{ secret }').catch(() => {}))
    await expect.poll(() => stage.isAway).toBe(true)
    await page.close()
    stage.loses = () => false
    await stage.service.clock.advance({ minutes: 10 })
    stage.isAway = false
    const next = await openTab(context, stage, { delivery: 'token' })
    const answer = await next.evaluate(() => auth.request('{ secret }'))
    report('the answer lost and ten minutes away', { rotations: stage.count('refresh('), status: await stateOf(next) })
    expect(answer).toEqual({ secret: 'a secret' })
  })
})
