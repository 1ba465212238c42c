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
  test('without a hint asks nothing', async () => {
    const browser = new FakeBrowser()
    const auth = browser.openTab({ delivery: 'token' })
    auth.subscribe(() => {})
    await reach(auth, 'signed-out')
    expect(auth.getState()).toEqual({ status: 'signed-out', reason: 'none' })
    expect(browser.service.seen).toEqual([])
  })

  test('of somebody who was signed in is one refresh', async () => {
    const { browser, service, auth } = await openSignedIn()
    auth.dispose()
    const next = browser.openTab({ delivery: 'token' })
    next.subscribe(() => {})
    await reach(next, 'signed-in')
    expect(service.seen.length).toBe(1)
    await expect(next.request('{ me }')).resolves.toEqual({ user: 'ada' })
    expect([...browser.kept].map(([name]) => name.split(' ').at(-1))).toEqual(['in'])
  })

  test('with a refresh token that is over is signed out', async () => {
    const { browser, service, auth } = await openSignedIn()
    auth.dispose()
    service.families.length = 0
    const next = browser.openTab({ delivery: 'token' })
    next.subscribe(() => {})
    await reach(next, 'signed-out')
    expect(next.getState()).toEqual({ status: 'signed-out', reason: 'ended' })
    expect([...browser.kept]).toEqual([])
  })

  test('shows somebody signed in where storage throws', async () => {
    const { browser, auth } = await openSignedIn()
    auth.dispose()
    vi.stubGlobal('localStorage', undefined)
    const next = browser.openTab({ delivery: 'token' })
    await expect(next.request('{ me }')).resolves.toEqual({ user: 'ada' })
    vi.unstubAllGlobals()
  })
})

describe('a token that counts no more', () => {
  test('of a hundred requests is renewed once', async () => {
    const { service, auth, breakToken } = await openSignedIn()
    breakToken()
    await Promise.all(Array.from({ length: 100 }, (_, index) => auth.request(`{ secret${index} }`)))
    expect(service.rotations).toBe(1)
  })

  test('is renewed before a mutation, which runs once', async () => {
    const { service, auth, breakToken } = await openSignedIn()
    service.stage = ({ query }) =>
      query.includes('write') && service.tokens.size === 0
        ? Response.json({ errors: [{ message: '', extensions: { code: 'UNAUTHENTICATED' } }] }, { status: 401 })
        : undefined
    breakToken()
    await auth.request('mutation { write }')
    expect(service.ran).toEqual(['mutation { write }'])
  })

  test('is renewed by one of two tabs, and the other takes what it hears', async () => {
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

  test('behind a sleeping tab’s lock is renewed within 4.5 s', async () => {
    const { service, auth, breakToken } = await openSignedIn()
    let wake = () => {}
    const asleep = new Promise<void>((resolve) => {
      wake = resolve
    })
    void navigator.locks.request('latchkey https://app.test/graphql', () => asleep)
    breakToken()
    const began = performance.now()
    await auth.request('{ secret }')
    wake()
    expect(performance.now() - began).toBeLessThan(4500)
    expect(service.rotations).toBe(1)
  })

  test('whose answer was lost is renewed by the next page with the same attempt', async () => {
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

test('signing out with an expired token renews it first, and ends the family', async () => {
  const { browser, service, auth } = await openSignedIn()
  service.tokens.clear()
  await auth.signOut()
  expect(browser.refresh).toBeUndefined()
  expect(auth.getState()).toEqual({ status: 'signed-out', reason: 'signed-out' })
  await pause(20)
  expect([...browser.kept]).toEqual([])
})

test('connectionParams shows the token, and a new one once its time is over', async () => {
  const { service, auth } = await openSignedIn()
  const { authorization } = await auth.connectionParams()
  expect(service.tokens.get(authorization?.replace('Bearer ', '') ?? '')).toBe('ada')
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 901_000)
  await expect(auth.connectionParams()).resolves.not.toEqual({ authorization })
  vi.restoreAllMocks()
})

test('dispose leaves no channel, and what is created 300 times keeps no listener', async () => {
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
