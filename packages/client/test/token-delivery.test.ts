import { describe, expect, test, vi } from 'vitest'
import { FakeBrowser, pause, reach } from './support/fake-service.ts'

const password = 'otters read quietly at dawn'

async function openSignedIn() {
  const browser = new FakeBrowser()
  const auth = browser.openTab({ delivery: 'token' })
  await auth.signIn({ email: 'ada@example.com', password })
  const { service } = browser
  service.seen.length = 0
  return { browser, service, auth, breakToken: () => service.tokens.clear() }
}

describe('arrival', () => {
  test('arrival without a hint sends no request', async () => {
    const browser = new FakeBrowser()
    const auth = browser.openTab({ delivery: 'token' })
    auth.subscribe(() => {})
    await reach(auth, 'signed-out')
    expect(auth.getState()).toEqual({ status: 'signed-out', reason: 'none' })
    expect(browser.service.seen).toEqual([])
  })

  test('arrival with a refresh token sends one refresh', async () => {
    const { browser, service, auth } = await openSignedIn()
    auth.dispose()
    const next = browser.openTab({ delivery: 'token' })
    next.subscribe(() => {})
    await reach(next, 'signed-in')
    expect(service.seen.length).toBe(1)
    await expect(next.request('{ me }')).resolves.toEqual({ user: 'ada' })
    expect([...browser.kept].map(([name]) => name.split(' ').at(-1))).toEqual(['in'])
  })

  test('arrival with an expired refresh token is signed out', async () => {
    const { browser, service, auth } = await openSignedIn()
    auth.dispose()
    service.families.length = 0
    const next = browser.openTab({ delivery: 'token' })
    next.subscribe(() => {})
    await reach(next, 'signed-out')
    expect(next.getState()).toEqual({ status: 'signed-out', reason: 'ended' })
    expect([...browser.kept]).toEqual([])
  })

  test('arrival is signed in if storage throws', async () => {
    const { browser, auth } = await openSignedIn()
    auth.dispose()
    vi.stubGlobal('localStorage', undefined)
    const next = browser.openTab({ delivery: 'token' })
    await expect(next.request('{ me }')).resolves.toEqual({ user: 'ada' })
    vi.unstubAllGlobals()
  })
})

describe('an expired token', () => {
  test('an expired token of a hundred requests is renewed once', async () => {
    const { service, auth, breakToken } = await openSignedIn()
    breakToken()
    await Promise.all(Array.from({ length: 100 }, (_, index) => auth.request(`{ secret${index} }`)))
    expect(service.rotations).toBe(1)
  })

  test('an expired token is renewed before a mutation, which runs once', async () => {
    const { service, auth, breakToken } = await openSignedIn()
    service.stage = ({ query }) =>
      query.includes('write') && service.tokens.size === 0
        ? Response.json({ errors: [{ message: '', extensions: { code: 'UNAUTHENTICATED' } }] }, { status: 401 })
        : undefined
    breakToken()
    await auth.request('mutation { write }')
    expect(service.ran).toEqual(['mutation { write }'])
  })

  test('an expired token is renewed by one of two tabs, and the other tab takes the new token', async () => {
    const { browser, service, auth, breakToken } = await openSignedIn()
    const other = browser.openTab({ delivery: 'token' })
    other.subscribe(() => {})
    await reach(other, 'signed-in')
    const before = service.rotations
    breakToken()
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 ? auth : other).request(`{ secret${index} }`)),
    )
    expect(service.rotations - before).toBe(1)
  })

  test('an expired token is renewed within 4.5 s if a sleeping tab holds the lock', async () => {
    const { service, auth, breakToken } = await openSignedIn()
    let wake = () => {}
    const asleep = new Promise<void>((resolve) => {
      wake = resolve
    })
    void navigator.locks.request('latchkey https://app.test/graphql token', () => asleep)
    breakToken()
    const began = performance.now()
    await auth.request('{ secret }')
    wake()
    expect(performance.now() - began).toBeLessThan(4500)
    expect(service.rotations).toBe(1)
  })

  test('a renewal whose response was lost is repeated by the next page with the same attempt', async () => {
    const { browser, service, auth, breakToken } = await openSignedIn()
    breakToken()
    service.loses = ({ query }) => query.includes('refresh(')
    void auth.request('{ secret }').catch(() => {})
    await vi.waitFor(() => expect(service.rotations).toBe(1))
    service.loses = () => false
    auth.dispose()
    service.isAway = false
    const next = browser.openTab({ delivery: 'token' })
    await expect(next.request('{ secret }')).resolves.toEqual({ user: 'ada' })
    expect(service.rotations).toBe(1)
  })
})

test('signOut with an expired token renews the token and revokes the family', async () => {
  const { browser, service, auth } = await openSignedIn()
  service.tokens.clear()
  await auth.signOut()
  expect(browser.refresh).toBeUndefined()
  expect(auth.getState()).toEqual({ status: 'signed-out', reason: 'signed-out' })
  await pause(20)
  expect([...browser.kept]).toEqual([])
})

test('connectionParams returns the token, and a new token after its expiry', async () => {
  const { service, auth } = await openSignedIn()
  const { authorization } = await auth.connectionParams()
  expect(service.tokens.get(authorization?.replace('Bearer ', '') ?? '')).toBe('ada')
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 901_000)
  await expect(auth.connectionParams()).resolves.not.toEqual({ authorization })
  vi.restoreAllMocks()
})

test('dispose closes the channel, and 300 disposed clients leave no listener', async () => {
  const browser = new FakeBrowser()
  const added = vi.spyOn(EventTarget.prototype, 'addEventListener')
  for (let count = 0; count < 300; count++) {
    const auth = browser.openTab()
    auth.subscribe(() => {})
    auth.dispose()
  }
  added.mockRestore()
  await pause(50)
  const after = browser.openTab()
  await after.refetch()
  expect(after.getState().status).toBe('signed-out')
})
