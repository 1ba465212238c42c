import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { answer, FakeBrowser, pause, reach, refuse, url } from './support/fake-service.ts'

async function openSignedIn(user = 'ada') {
  const browser = new FakeBrowser()
  browser.session = browser.service.open(user)
  const auth = browser.openTab()
  auth.subscribe(() => {})
  await reach(auth, 'signed-in')
  browser.service.seen.length = 0
  return { browser, service: browser.service, auth }
}

const password = 'otters read quietly at dawn'

describe('arrival', () => {
  test('createAuthClient sends no request, and its first listener sends one', async () => {
    const { service, ...browser } = new FakeBrowser()
    void browser
    const page = new FakeBrowser(service)
    const auth = page.openTab()
    await pause(20)
    expect(service.seen).toEqual([])
    expect(auth.getState()).toEqual({ status: 'loading', isOffline: false })
    auth.subscribe(() => {})()
    auth.subscribe(() => {})
    await reach(auth, 'signed-out')
    expect(auth.getState()).toEqual({ status: 'signed-out', reason: 'none' })
    expect(service.seen.length).toBe(1)
  })

  test('arrival with a session sends one request', async () => {
    const browser = new FakeBrowser()
    browser.session = browser.service.open('ada')
    const auth = browser.openTab()
    await expect(auth.request('{ me }')).resolves.toEqual({ user: 'ada' })
    expect(auth.getState()).toMatchObject({ status: 'signed-in', user: { id: 'ada', role: 'READER' } })
    expect(browser.service.seen.map(({ query }) => query.slice(0, 9))).toEqual(['{session{', '{ me }'])
  })

  test.each([
    ['the network fails', () => Promise.reject(new TypeError('failed'))],
    ['a proxy answers HTML', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
    [
      'a portal answers HTML as 200',
      () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } }),
    ],
    ['the service is busy', () => refuse(503, { code: 'SERVICE_UNAVAILABLE' })],
  ])('arrival keeps the state loading, not signed out, while %s', async (_name, reply) => {
    const browser = new FakeBrowser()
    browser.session = browser.service.open('ada')
    browser.service.stage = reply
    const auth = browser.openTab()
    auth.subscribe(() => {})
    await pause(50)
    expect(auth.getState()).toEqual({ status: 'loading', isOffline: true })
    browser.service.stage = () => undefined
    await reach(auth, 'signed-in')
  })
})

describe('signing in', () => {
  test('signIn takes the session of its response without another request', async () => {
    const browser = new FakeBrowser()
    const auth = browser.openTab()
    const changes = vi.fn()
    auth.onUserChange(changes)
    await expect(auth.signIn({ email: 'ada@example.com', password })).resolves.toMatchObject({ status: 'signed-in' })
    await auth.request('mutation { write }')
    expect(browser.service.seen.length).toBe(3)
    expect(changes.mock.calls).toEqual([[expect.objectContaining({ id: 'ada' }), null]])
  })

  test('signIn with a wrong password rejects with the code of the service', async () => {
    const browser = new FakeBrowser()
    const auth = browser.openTab()
    const signIn = auth.signIn({ email: 'ada@example.com', password: 'wrong' })
    await expect(signIn).rejects.toMatchObject({ name: 'AuthError', code: 'INVALID_CREDENTIALS', status: 401 })
    expect(auth.getState()).toEqual({ status: 'signed-out', reason: 'none' })
  })

  test('signIn and verifySecondFactor send no other member of their arguments', async () => {
    const browser = new FakeBrowser()
    const auth = browser.openTab()
    const form = { email: 'two-ada', password, delivery: 'TOKEN', remember: true }
    await auth.signIn(form)
    const proof = { code: '123456', delivery: 'TOKEN', remember: true }
    await auth.verifySecondFactor(proof)
    const { seen } = browser.service
    expect(seen.filter(({ query }) => query.startsWith('mutation')).map(({ variables }) => variables.i)).toEqual([
      { email: 'two-ada', password, delivery: 'SESSION' },
      { code: '123456', challenge: 'two-ada', delivery: 'SESSION' },
    ])
  })

  test('signIn keeps the state second-factor while the page queries the session', async () => {
    const browser = new FakeBrowser()
    const auth = browser.openTab()
    await auth.signIn({ email: 'two-ada', password })
    expect(auth.getState()).toEqual({
      status: 'second-factor',
      challenge: 'two-ada',
      factors: ['totp', 'recovery-code'],
    })
    await auth.refetch()
    expect(auth.getState().status).toBe('second-factor')
    await expect(auth.verifySecondFactor({ code: '000000' })).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' })
    await expect(auth.verifySecondFactor({ code: '123456' })).resolves.toMatchObject({ user: { id: 'two-ada' } })
  })
})

describe('a stale CSRF token', () => {
  test('a stale CSRF token costs one request for all refused mutations, and each mutation runs once', async () => {
    const { browser, service, auth } = await openSignedIn()
    const session = service.sessions.get(browser.session ?? '')
    if (session) session.csrf = 'newer'
    await Promise.all(Array.from({ length: 5 }, (_, index) => auth.request(`mutation { write${index} }`)))
    expect([...service.ran].sort()).toEqual([0, 1, 2, 3, 4].map((index) => `mutation { write${index} }`))
    expect(service.count('{session{')).toBe(1)
  })

  test('a mutation with the CSRF token of another user does not run', async () => {
    const { browser, service, auth } = await openSignedIn()
    browser.session = service.open('bob')
    await expect(auth.request('mutation { write }')).rejects.toMatchObject({ code: 'CSRF_REJECTED' })
    expect(service.ran).toEqual([])
    expect(auth.getState()).toMatchObject({ user: { id: 'bob' } })
  })

  test('a CSRF token that stays refused rejects the mutation', async () => {
    const { service, auth } = await openSignedIn()
    service.stage = ({ query }) => (query.startsWith('mutation') ? refuse(403, { code: 'CSRF_REJECTED' }) : undefined)
    await expect(auth.request('mutation { write }')).rejects.toMatchObject({ code: 'CSRF_REJECTED', status: 403 })
    expect(service.seen.length).toBeLessThan(7)
  })
})

describe('an expired session', () => {
  test.each(['{ secret }', '{ open }'])('changes the state before the response of %s', async (query) => {
    const { service, auth } = await openSignedIn()
    const order: string[] = []
    auth.onUserChange((user) => order.push(`user ${user?.id}`))
    service.sessions.clear()
    await auth.request(query).then(
      () => order.push('answer'),
      ({ code }) => order.push(code),
    )
    expect(order).toEqual(['user undefined', query === '{ open }' ? 'answer' : 'UNAUTHENTICATED'])
    expect(auth.getState()).toEqual({ status: 'signed-out', reason: 'ended' })
  })

  test('rejects the request if the service always refuses', async () => {
    const { service, auth } = await openSignedIn()
    service.stage = ({ query }) => (query.includes('session') ? undefined : refuse(401, { code: 'UNAUTHENTICATED' }))
    await expect(auth.request('{ secret }')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(service.seen.length).toBeLessThan(7)
    expect(auth.getState().status).toBe('signed-in')
  })
})

describe('fetch', () => {
  test.each([
    'https://app.test/graphqlx',
    'https://app.test/other',
    'https://evil.test/graphql',
    `${url}/../other`,
    'https://a@app.test/graphql',
  ])('fetch rejects %s without a request', async (target) => {
    const { service, auth } = await openSignedIn()
    await expect(auth.fetch(target)).rejects.toThrow(TypeError)
    expect(service.seen).toEqual([])
  })

  test.each([`${url}?query={me}`, `${url}/stream`, new URL(url), new Request(url)])('sends to %s', async (target) => {
    const { auth } = await openSignedIn()
    await expect(auth.fetch(target)).resolves.toMatchObject({ status: 200 })
  })

  test('fetch adds the CSRF token to a mutation of another GraphQL client', async () => {
    const { browser, service, auth } = await openSignedIn()
    const response = await auth.fetch(url, { method: 'POST', body: JSON.stringify({ query: 'mutation { write }' }) })
    await expect(response.json()).resolves.toEqual({ data: { user: 'ada' } })
    expect(service.seen.map(({ headers }) => headers.get('x-csrf-token'))).toEqual([
      service.sessions.get(browser.session ?? '')?.csrf,
    ])
  })

  test('fetch notices a sign-in of another GraphQL client', async () => {
    const browser = new FakeBrowser()
    const auth = browser.openTab()
    const query = 'mutation { p: signIn(input: {}) { status } }'
    const variables = { i: { email: 'ada@example.com' } }
    await auth.fetch(url, { method: 'POST', body: JSON.stringify({ query, variables }) })
    expect(auth.getState()).toMatchObject({ status: 'signed-in', user: { id: 'ada' } })
  })
})

describe('an error', () => {
  const failing = async (error: object, status = 200) => {
    const { service, auth } = await openSignedIn()
    service.stage = () => Response.json({ data: null, errors: [error] }, { status })
    return auth.request('mutation { write }').catch((reason: Error) => reason as object) as Promise<object>
  }

  test.each([
    ['without extensions', { message: 'out of stock' }],
    ['with extensions without a code', { message: 'out of stock', extensions: { sku: 7 } }],
  ])('an error of a resolver %s is INTERNAL_SERVER_ERROR with its message, not NETWORK', async (_name, error) => {
    const reason = await failing(error)
    expect(reason).toMatchObject({
      name: 'AuthError',
      code: 'INTERNAL_SERVER_ERROR',
      message: 'out of stock',
      status: 200,
    })
  })

  test('the field of a refusal is its own property, and absent without one', async () => {
    const refused = await failing({ message: 'no', extensions: { code: 'BAD_USER_INPUT', field: 'input.email' } }, 400)
    expect(Object.entries(refused)).toContainEqual(['field', 'input.email'])
    expect(Object.keys(await failing({ message: 'no', extensions: { code: 'FORBIDDEN' } }, 403))).not.toContain('field')
  })

  test.each(['<html>', '{"data":null}', '{}', 'null'])('the answer %s is NETWORK', async (body) => {
    const { service, auth } = await openSignedIn()
    service.stage = () => new Response(body)
    await expect(auth.request('mutation { write }')).rejects.toMatchObject({ code: 'NETWORK', status: 200 })
  })
})

describe('a service that is busy or away', () => {
  test('a query is repeated until the service is back, and a mutation is not', async () => {
    const { service, auth } = await openSignedIn()
    service.isAway = true
    const query = auth.request('{ me }')
    await expect(auth.request('mutation { write }')).rejects.toMatchObject({ code: 'NETWORK', status: 0 })
    service.isAway = false
    await expect(query).resolves.toEqual({ user: 'ada' })
    expect(service.ran).toEqual(['{ me }'])
  })

  test('a query is repeated after the time of Retry-After', async () => {
    const { service, auth } = await openSignedIn()
    const times: number[] = []
    service.stage = () => {
      times.push(performance.now())
      return times.length < 2 ? refuse(503, { code: 'SERVICE_UNAVAILABLE' }, { 'retry-after': '1' }) : undefined
    }
    await auth.request('{ me }')
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1000)
  })

  test('a 503 reaches the caller if the wait does not fit', async () => {
    const { service, auth } = await openSignedIn()
    service.stage = () => refuse(429, { code: 'RATE_LIMITED' }, { 'retry-after': '900', 'x-request-id': 'r' })
    const expected = { code: 'RATE_LIMITED', status: 429, retryAfterSeconds: 900, requestId: 'r' }
    await expect(auth.request('{ me }')).rejects.toMatchObject(expected)
    expect(service.seen.length).toBe(1)
  })
})

describe('step-up', () => {
  test('a step-up of ten requests asks the user once, and all ten are sent again', async () => {
    const { service, auth } = await openSignedIn()
    const asked = vi.fn()
    auth.onStepUp(asked)
    const requests = Array.from({ length: 10 }, (_, index) => auth.request(`mutation { guarded${index} }`))
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1))
    const request = asked.mock.calls[0]?.[0]
    expect(request).toMatchObject({ factors: ['password'], maxAgeSeconds: 300 })
    await expect(request.verify({ password: 'wrong' })).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' })
    expect(asked).toHaveBeenCalledTimes(1)
    await request.verify({ password })
    await Promise.all(requests)
    expect(service.ran.length).toBe(10)
    expect(asked.mock.calls.at(-1)).toEqual([null])
  })

  test('a cancelled step-up rejects the request, and fetch returns the 401', async () => {
    const { service, auth } = await openSignedIn()
    auth.onStepUp((request) => request?.cancel())
    await expect(auth.request('{ guarded }')).rejects.toMatchObject({ code: 'STEP_UP_CANCELLED', status: 401 })
    const response = await auth.fetch(url, { method: 'POST', body: JSON.stringify({ query: '{ guarded }' }) })
    expect(response.status).toBe(401)
    await expect(response.json()).resolves.toMatchObject({ errors: [{ extensions: { code: 'STEP_UP_REQUIRED' } }] })
    expect(service.ran).toEqual([])
  })

  test('a step-up without a listener reaches the caller', async () => {
    const { auth } = await openSignedIn()
    auth.onStepUp(() => {})()
    await expect(auth.request('{ guarded }')).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' })
  })

  test('a step-up that no factor of the account answers reaches the caller, and no listener is called', async () => {
    const { service, auth } = await openSignedIn()
    const asked = vi.fn()
    auth.onStepUp(asked)
    const extensions = { code: 'STEP_UP_REQUIRED', challenge: 'c', factors: [], maxAgeSeconds: 300 }
    service.stage = ({ query }) => (query === '{ guarded }' ? refuse(401, extensions) : undefined)
    await expect(auth.request('{ guarded }')).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED', status: 401 })
    expect(asked).not.toHaveBeenCalled()
    expect(service.count('{ guarded }')).toBe(1)
    expect(auth.getState().status).toBe('signed-in')
  })

  test('a step-up is cancelled with its last listener, and kept for a new listener of the same turn', async () => {
    const { auth } = await openSignedIn()
    let end = auth.onStepUp(() => {})
    const request = auth.request('{ guarded }')
    await pause(30)
    const asked = vi.fn()
    end()
    end = auth.onStepUp(asked)
    await pause(10)
    expect(asked).toHaveBeenCalledTimes(1)
    end()
    await expect(request).rejects.toMatchObject({ code: 'STEP_UP_CANCELLED' })
  })
})

describe('two tabs', () => {
  async function openTwo() {
    const { browser, service, auth } = await openSignedIn()
    const other = browser.openTab()
    other.subscribe(() => {})
    await reach(other, 'signed-in')
    return { browser, service, auth, other }
  }

  test('a sign-out reaches the other tab with its reason', async () => {
    const { auth, other } = await openTwo()
    await auth.signOut()
    await reach(other, 'signed-out')
    expect(other.getState()).toEqual({ status: 'signed-out', reason: 'signed-out' })
  })

  test('a sign-in of another user reaches the other tab, and responses for the first user are dropped', async () => {
    const { service, auth, other } = await openTwo()
    const changes = vi.fn()
    other.onUserChange(changes)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    service.stage = async ({ query }) => {
      if (query !== '{ slow }') return undefined
      await held
      return answer({ user: 'ada' })
    }
    const slow = other.request('{ slow }')
    await pause(10)
    service.stage = () => undefined
    await auth.signIn({ email: 'bob@example.com', password })
    await vi.waitFor(() => expect(other.getState()).toMatchObject({ user: { id: 'bob' } }), 500)
    release()
    await expect(slow).resolves.toEqual({ user: 'bob' })
    expect(changes.mock.calls).toEqual([
      [expect.objectContaining({ id: 'bob' }), expect.objectContaining({ id: 'ada' })],
    ])
  })
})

describe('a page that becomes visible', () => {
  function openPage() {
    const page = Object.assign(new EventTarget(), { hidden: false })
    vi.stubGlobal('document', page)
    onTestFinished(() => void vi.unstubAllGlobals())
    const show = (isVisible: boolean) => {
      page.hidden = !isVisible
      page.dispatchEvent(new Event('visibilitychange'))
    }
    const browser = new FakeBrowser()
    return { browser, service: browser.service, auth: browser.openTab(), show }
  }

  test.each([
    ['on which nobody is signed in', false],
    ['whose state was given by hydrate', true],
  ])('%s notices another user, and not while it is hidden', async (_name, isHydrated) => {
    const { browser, service, auth, show } = openPage()
    browser.session = isHydrated ? service.open('ada') : undefined
    const earlier = browser.openTab()
    if (isHydrated) auth.hydrate(await earlier.refetch())
    earlier.dispose()
    auth.subscribe(() => {})
    await reach(auth, isHydrated ? 'signed-in' : 'signed-out')
    browser.session = service.open('bob')
    const changes = vi.fn()
    auth.onUserChange(changes)
    service.seen.length = 0
    show(false)
    await pause(20)
    expect([service.seen, changes.mock.calls]).toEqual([[], []])
    show(true)
    await vi.waitFor(() => expect(auth.getState()).toMatchObject({ status: 'signed-in', user: { id: 'bob' } }))
    expect(changes.mock.calls.map(([user]) => user?.id)).toEqual(['bob'])
    expect(service.seen.length).toBe(1)
  })
})

describe('signing out', () => {
  test('signOut changes the state at once and revokes the session', async () => {
    const { browser, service, auth } = await openSignedIn()
    const done = auth.signOut()
    expect(auth.getState()).toEqual({ status: 'signed-out', reason: 'signed-out' })
    await done
    expect(service.sessions.size).toBe(0)
    expect([...browser.kept]).toEqual([])
  })

  test('signOut revokes a session that another page has renewed', async () => {
    const { browser, service, auth } = await openSignedIn()
    service.sessions.clear()
    browser.session = service.open('ada')
    await auth.signOut()
    expect(auth.getState()).toEqual({ status: 'signed-out', reason: 'signed-out' })
    expect(service.sessions.size).toBe(0)
    expect([...browser.kept]).toEqual([])
  })

  test('signOut keeps the session of another user who signed in on another page', async () => {
    const { browser, service, auth } = await openSignedIn()
    service.sessions.clear()
    browser.session = service.open('bob')
    await auth.signOut()
    expect(auth.getState()).toMatchObject({ user: { id: 'bob' } })
    expect(service.sessions.has(browser.session)).toBe(true)
  })

  test('an offline signOut is sent by the next page before other requests', async () => {
    const { browser, service, auth } = await openSignedIn()
    service.isAway = true
    await auth.signOut()
    auth.dispose()
    expect([...browser.kept.keys()]).toEqual([`latchkey ${url} out`])
    expect(service.sessions.size).toBe(1)
    service.isAway = false
    const next = browser.openTab()
    await expect(next.request('{ me }')).resolves.toEqual({ user: null })
    expect(next.getState()).toEqual({ status: 'signed-out', reason: 'signed-out' })
    expect(service.sessions.size).toBe(0)
  })

  test('an offline signOut keeps a later sign-in', async () => {
    const { browser, service, auth } = await openSignedIn()
    service.isAway = true
    await auth.signOut()
    auth.dispose()
    service.isAway = false
    browser.session = service.open('ada')
    const next = browser.openTab()
    await expect(next.request('{ me }')).resolves.toEqual({ user: 'ada' })
    expect(service.sessions.has(browser.session)).toBe(true)
    expect([...browser.kept]).toEqual([])
  })
})

test('a server’s state is shown without a request, and the first mutation fetches its CSRF token', async () => {
  const browser = new FakeBrowser()
  browser.session = browser.service.open('ada')
  const first = browser.openTab()
  const state = await first.refetch()
  const { service } = browser
  service.seen.length = 0
  const auth = browser.openTab()
  auth.hydrate(state)
  auth.subscribe(() => {})
  expect(auth.getState()).toMatchObject({ status: 'signed-in', user: { id: 'ada' } })
  await auth.request('{ me }')
  expect(service.seen.length).toBe(1)
  await auth.request('mutation { write }')
  expect(service.seen.length).toBe(3)
})
