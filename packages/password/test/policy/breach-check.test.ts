import { createHash } from 'node:crypto'
import {
  type BreachCheckEvent,
  type BreachCheckOptions,
  createBreachCheck,
  createPasswordPolicy,
} from '@latchkey/password'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()
const padding = Array.from({ length: 20 }, (_, index) => `${sha1(`padding ${index}`).slice(5)}:0`)

/** A service that knows these passwords and pads its answers as Have I Been Pwned does. */
function createService(...breached: string[]) {
  const asked: { url: string; headers: Readonly<Record<string, string>> }[] = []
  const fetch: NonNullable<BreachCheckOptions['fetch']> = async (url, { headers }) => {
    asked.push({ url, headers })
    const prefix = url.slice(-5)
    const found = breached.map(sha1).filter((digest) => digest.startsWith(prefix))
    const lines = [...found.map((digest) => `${digest.slice(5)}:42`), ...padding]
    return { ok: true, status: 200, text: async () => lines.join('\r\n') }
  }
  return { asked, fetch }
}

function createCheck(fetch: NonNullable<BreachCheckOptions['fetch']>, options: Partial<BreachCheckOptions> = {}) {
  const events: BreachCheckEvent[] = []
  const onEvent = (event: BreachCheckEvent) => events.push(event)
  return { events, ...createBreachCheck({ whenUnavailable: 'refuse', fetch, onEvent, ...options }) }
}

describe('the breach check', () => {
  test('knows a breached password and lets others pass', async () => {
    const { fetch } = createService('hunter2')
    const { check } = createCheck(fetch)
    expect(await check('hunter2')).toEqual({ ok: false, reason: 'breached' })
    expect(await check('otters read quietly')).toEqual({ ok: true })
  })

  test('sends five digits of the digest, and requests padding', async () => {
    const { asked, fetch } = createService()
    await createCheck(fetch).check('hunter2')
    expect(asked).toEqual([
      {
        url: `https://api.pwnedpasswords.com/range/${sha1('hunter2').slice(0, 5)}`,
        headers: { 'Add-Padding': 'true', 'User-Agent': 'latchkey-password' },
      },
    ])
    expect(asked[0]?.url).not.toContain(sha1('hunter2').slice(0, 6))
  })

  test('does not take padding for a breach', async () => {
    const { fetch } = createService()
    const padded: NonNullable<BreachCheckOptions['fetch']> = async (url, init) => {
      const response = await fetch(url, init)
      const text = async () => `${sha1('hunter2').slice(5)}:0\r\n${await response.text()}`
      return { ...response, text }
    }
    expect(await createCheck(padded).check('hunter2')).toEqual({ ok: true })
  })

  test('looks up the composed spelling, which is hashed too', async () => {
    const { fetch } = createService('caf\u00e9')
    expect(await createCheck(fetch).check('cafe\u0301')).toEqual({ ok: false, reason: 'breached' })
  })

  test('asks once for a range while it is on its way', async () => {
    const { asked, fetch } = createService('hunter2')
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { check } = createCheck(async (url, init) => {
      const response = await fetch(url, init)
      await held
      return response
    })
    const checks = [check('hunter2'), check('hunter2'), check('hunter2')]
    await new Promise((resolve) => setTimeout(resolve, 50))
    release()
    expect(await Promise.all(checks)).toEqual(Array(3).fill({ ok: false, reason: 'breached' }))
    expect(asked).toHaveLength(1)
  })

  test('asks once for a range while it is kept, and again afterwards', async () => {
    let time = 0
    const { asked, fetch } = createService('hunter2')
    const { check } = createCheck(fetch, { now: () => time, cacheSeconds: 60 })
    await check('hunter2')
    time = 59_999
    await check('hunter2')
    expect(asked).toHaveLength(1)
    time = 60_000
    expect(await check('hunter2')).toEqual({ ok: false, reason: 'breached' })
    expect(asked).toHaveLength(2)
  })

  test('keeps as many ranges as its limit, the most recently used', async () => {
    const { asked, fetch } = createService()
    const { check } = createCheck(fetch, { cacheLimit: 2 })
    for (const password of ['a', 'b', 'a', 'c', 'a']) await check(password)
    expect(asked).toHaveLength(3)
    await check('b')
    expect(asked).toHaveLength(4)
  })

  test('keeps no range with a cacheLimit of 0', async () => {
    const { asked, fetch } = createService()
    const { check } = createCheck(fetch, { cacheLimit: 0 })
    await check('a')
    await check('a')
    expect(asked).toHaveLength(2)
  })
})

describe('a service that cannot be asked', () => {
  const answer = (status: number, text: string): NonNullable<BreachCheckOptions['fetch']> => {
    return async () => ({ ok: status < 300, status, text: async () => text })
  }
  const failures: [string, NonNullable<BreachCheckOptions['fetch']>][] = [
    ['is down', () => Promise.reject(new TypeError('fetch failed'))],
    ['answers 503', answer(503, '')],
    ['answers 429', answer(429, 'slow down')],
    ['answers 500 with something like a range', answer(500, `${sha1('x').slice(5)}:1\r\n`)],
    ['answers a page', answer(200, '<html>Sign in to the hotel’s network</html>')],
    ['answers nothing', answer(200, '')],
    ['answers a range of another digest', answer(200, 'ABCDEF:1\r\n')],
    ['answers without end', answer(200, `${sha1('x').slice(5)}:1\r\n`.repeat(40_000))],
    ['breaks off', async () => ({ ok: true, status: 200, text: () => Promise.reject(new Error('terminated')) })],
    ['never answers, whatever the signal says', () => new Promise(() => {})],
    ['never ends its answer', async () => ({ ok: true, status: 200, text: () => new Promise(() => {}) })],
  ]

  test.each(failures)('refuses the password if that was chosen: it %s', async (_what, fetch) => {
    const { check, events } = createCheck(fetch, { deadlineMs: 20 })
    expect(await check('hunter2')).toEqual({ ok: false, reason: 'unavailable' })
    expect(events).toMatchObject([{ type: 'breach-check.failed', accepted: false }])
  })

  test.each(failures)('accepts the password with an event if that was chosen: it %s', async (_what, fetch) => {
    const { check, events } = createCheck(fetch, { deadlineMs: 20, whenUnavailable: 'accept' })
    expect(await check('hunter2')).toEqual({ ok: true })
    expect(events).toMatchObject([{ type: 'breach-check.failed', accepted: true }])
    expect(JSON.stringify(events) + String(events[0]?.cause)).not.toContain('hunter2')
  })

  test('is given up by the timers of the platform, which a test may replace', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let signal: AbortSignal | undefined
    const { check } = createCheck(
      (_url, init) => {
        signal = init.signal
        return new Promise(() => {})
      },
      { deadlineMs: 60_000 },
    )
    const verdict = check('hunter2')
    while (!signal) await new Promise((resolve) => void setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(59_999)
    expect(signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await verdict).toEqual({ ok: false, reason: 'unavailable' })
  })

  test('is called again the next time', async () => {
    const { fetch } = createService('hunter2')
    let isDown = true
    const { check } = createCheck((url, init) => (isDown ? Promise.reject(new Error('down')) : fetch(url, init)))
    expect(await check('hunter2')).toEqual({ ok: false, reason: 'unavailable' })
    isDown = false
    expect(await check('hunter2')).toEqual({ ok: false, reason: 'breached' })
  })
})

describe('a signal', () => {
  test('cancels the wait of its caller, and of no other caller', async () => {
    const service = createService('hunter2')
    let release = () => {}
    const held: NonNullable<BreachCheckOptions['fetch']> = async (url, init) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return service.fetch(url, init)
    }
    const { check, events } = createCheck(held, { deadlineMs: 10_000 })
    const leaving = new AbortController()
    const left = check('hunter2', { signal: leaving.signal })
    const staying = check('hunter2')
    await new Promise((resolve) => setTimeout(resolve, 10))
    leaving.abort('gone')
    await expect(left).rejects.toBe('gone')
    release()
    expect(await staying).toEqual({ ok: false, reason: 'breached' })
    expect(events).toEqual([])
  })

  test('aborted before keeps the service from being called', async () => {
    const { asked, fetch } = createService()
    await expect(createCheck(fetch).check('a', { signal: AbortSignal.abort('gone') })).rejects.toBe('gone')
    expect(asked).toEqual([])
  })
})

describe('the breach check in a policy', () => {
  test('runs last, and its reason is the policy’s', async () => {
    const { asked, fetch } = createService('otters read quietly at dawn')
    const policy = createPasswordPolicy({ breachCheck: createCheck(fetch) })
    expect(await policy.check('short')).toMatchObject({ ok: false, reason: 'too-short' })
    expect(asked).toEqual([])
    expect(await policy.check('otters read quietly at dawn')).toEqual({ ok: false, reason: 'breached' })
    expect(await policy.check('seven kettles hum')).toEqual({ ok: true })
    const signal = AbortSignal.abort('gone')
    await expect(policy.check('eight kettles hum', { signal })).rejects.toBe('gone')
  })
})

test.each([
  ['whenUnavailable', {}],
  ['whenUnavailable', { whenUnavailable: 'ignore' }],
  ['url', { whenUnavailable: 'accept', url: 'http://api.example.com/range/' }],
  ['url', { whenUnavailable: 'accept', url: 'range/' }],
  ['deadlineMs', { whenUnavailable: 'accept', deadlineMs: 0 }],
  ['cacheLimit', { whenUnavailable: 'accept', cacheLimit: -1 }],
  ['cacheSeconds', { whenUnavailable: 'accept', cacheSeconds: 0.5 }],
])('createBreachCheck refuses %s out of range: %o', (name, options) => {
  expect(() => createBreachCheck(options as BreachCheckOptions)).toThrow(TypeError)
  expect(() => createBreachCheck(options as BreachCheckOptions)).toThrow(name)
})

test('a mirror on loopback may be asked without TLS', async () => {
  const { asked, fetch } = createService()
  await createCheck(fetch, { url: 'http://127.0.0.1:8080/' }).check('a')
  expect(asked[0]?.url).toBe(`http://127.0.0.1:8080/${sha1('a').slice(0, 5)}`)
})
