import { PasswordError, type PasswordHasherOptions } from '@latchkey/password'
import { afterAll, describe, expect, test } from 'vitest'
import { createHeldEngine } from './own-engine.ts'
import { createWeakHasher } from './weak-hasher.ts'

const open: { finishAll(): Promise<void> }[] = []
afterAll(async () => {
  for (const one of open) await one.finishAll()
})

function createHeld(options: PasswordHasherOptions = {}) {
  const engine = createHeldEngine()
  const hasher = createWeakHasher({ engines: { argon2id: engine }, ...options })
  const finishAll = async () => {
    while (engine.running.length > 0) await engine.finish()
  }
  open.push({ finishAll })
  return { engine, hasher, finishAll }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('the limiter', () => {
  test('computes as many hashes at once as its concurrency, and the others in order', async () => {
    const { engine, hasher } = createHeld({ concurrency: 2 })
    const done: string[] = []
    for (const password of ['a', 'b', 'c', 'd', 'e']) void hasher.hash(password).then(() => done.push(password))
    await settle()
    expect(engine.running).toEqual(['a', 'b'])
    expect(hasher.stats).toMatchObject({ running: 2, waiting: 3, evaluations: 2 })
    await engine.finish('b')
    expect(engine.running).toEqual(['a', 'c'])
    await engine.finish('a')
    await engine.finish('c')
    expect(engine.running).toEqual(['d', 'e'])
    await engine.finish()
    await engine.finish()
    expect(done).toEqual(['b', 'a', 'c', 'd', 'e'])
    expect(hasher.stats).toMatchObject({ running: 0, waiting: 0, evaluations: 5 })
  })

  test('refuses what the queue has no room for, and says when to come again', async () => {
    let time = 0
    const { engine, hasher, finishAll } = createHeld({ concurrency: 1, queueLimit: 2, now: () => time })
    const first = hasher.hash('a')
    const waiting = [hasher.hash('b'), hasher.hash('c')]
    await settle()
    const refusal = await hasher.hash('d').catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(PasswordError)
    expect(refusal).toMatchObject({ code: 'PASSWORD_HASHER_UNAVAILABLE', retryAfterSeconds: 1 })
    await expect(hasher.verify('d', null)).rejects.toMatchObject({ code: 'PASSWORD_HASHER_UNAVAILABLE' })
    expect(engine.begun).toEqual(['a'])

    // The more slowly it goes, the later one should come again.
    time = 40_000
    await engine.finish('a')
    await first
    const again = hasher.hash('e')
    await expect(hasher.hash('f')).rejects.toMatchObject({ code: 'PASSWORD_HASHER_UNAVAILABLE', retryAfterSeconds: 11 })
    await finishAll()
    await Promise.all([...waiting, again])
  })

  test('accepts only hashes that can start at once if the queue limit is 0', async () => {
    const { hasher, finishAll } = createHeld({ concurrency: 1, queueLimit: 0 })
    const first = hasher.hash('a')
    await expect(hasher.hash('b')).rejects.toMatchObject({ code: 'PASSWORD_HASHER_UNAVAILABLE' })
    await settle()
    await finishAll()
    await first
  })

  test('continues after an engine has failed', async () => {
    const engine = createHeldEngine()
    let broken = true
    const run = (job: Parameters<typeof engine.run>[0]) =>
      broken ? Promise.reject(new Error('no memory')) : engine.run(job)
    const hasher = createWeakHasher({ concurrency: 1, engines: { argon2id: { ...engine, run } } })
    await expect(hasher.hash('a')).rejects.toThrow('no memory')
    broken = false
    const next = hasher.hash('b')
    await settle()
    await engine.finish('b')
    expect(await next).toMatch(/^\$argon2id/)
  })
})

describe('the idle lane', () => {
  test('waits until no login does', async () => {
    const { engine, hasher, finishAll } = createHeld({ concurrency: 1 })
    const jobs = [
      hasher.hash('login 1'),
      hasher.hash('rehash 1', { lane: 'idle' }),
      hasher.hash('rehash 2', { lane: 'idle' }),
      hasher.hash('login 2'),
    ]
    await settle()
    expect(hasher.stats).toMatchObject({ running: 1, waiting: 1, waitingIdle: 2 })
    await finishAll()
    await Promise.all(jobs)
    expect(engine.begun).toEqual(['login 1', 'login 2', 'rehash 1', 'rehash 2'])
  })

  test('leaves one place free for a login', async () => {
    const { engine, hasher, finishAll } = createHeld({ concurrency: 3 })
    const rehashes = ['r1', 'r2', 'r3'].map((password) => hasher.hash(password, { lane: 'idle' }))
    await settle()
    expect(engine.running).toEqual(['r1', 'r2'])
    const login = hasher.hash('login')
    await settle()
    expect(engine.running).toEqual(['r1', 'r2', 'login'])
    await finishAll()
    await Promise.all([...rehashes, login])
  })

  test('gets a turn under a flood of logins, but not many', async () => {
    const { engine, hasher, finishAll } = createHeld({ concurrency: 1 })
    const jobs = Array.from({ length: 60 }, (_, index) => hasher.hash(`login ${index}`))
    jobs.push(...['r1', 'r2', 'r3'].map((password) => hasher.hash(password, { lane: 'idle' })))
    await settle()
    await finishAll()
    await Promise.all(jobs)
    const turns = ['r1', 'r2', 'r3'].map((password) => engine.begun.indexOf(password))
    expect(turns).toEqual([15, 31, 47])
  })

  test('is no lane by another name', async () => {
    const { engine, hasher } = createHeld()
    await expect(hasher.hash('a', { lane: 'idel' as 'idle' })).rejects.toThrow(TypeError)
    expect(engine.begun).toEqual([])
  })

  test('has its own queue, so that rehashes never keep a login out', async () => {
    const { hasher, finishAll } = createHeld({ concurrency: 1, queueLimit: 1 })
    const jobs = [hasher.hash('login 1'), hasher.hash('r1', { lane: 'idle' })]
    await expect(hasher.hash('r2', { lane: 'idle' })).rejects.toMatchObject({ code: 'PASSWORD_HASHER_UNAVAILABLE' })
    jobs.push(hasher.hash('login 2'))
    await settle()
    await finishAll()
    await Promise.all(jobs)
  })
})

describe('clients', () => {
  const idle = (client: string | null) => ({ lane: 'idle', client }) as const

  test('take turns in a lane, and the passwords of each keep their order', async () => {
    const { engine, hasher, finishAll } = createHeld({ concurrency: 1 })
    const jobs = ['a1', 'a2', 'a3', 'a4'].map((password) => hasher.hash(password, idle('a')))
    jobs.push(...['b1', 'b2'].map((password) => hasher.hash(password, idle('b'))), hasher.hash('c1', { lane: 'idle' }))
    jobs.push(hasher.hash('a5', idle('a')), hasher.hash('c2', idle(null)))
    await settle()
    await finishAll()
    await Promise.all(jobs)
    expect(engine.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'c2', 'a4', 'a5'])
  })

  test('give a place in a full lane to a client with fewer, until all have equally many', async () => {
    const { engine, hasher, finishAll } = createHeld({ concurrency: 1, queueLimit: 4 })
    const flood = ['a0', 'a1', 'a2', 'a3', 'a4'].map((password) => hasher.hash(password, idle('a')))
    const outcomes = Promise.allSettled(flood)
    const overloaded = { code: 'PASSWORD_HASHER_UNAVAILABLE', retryAfterSeconds: 1 }
    await expect(hasher.hash('a5', idle('a'))).rejects.toMatchObject(overloaded)
    const others = [hasher.hash('b1', idle('b')), hasher.hash('b2', idle('b'))]
    await expect(hasher.hash('b3', idle('b'))).rejects.toMatchObject(overloaded)
    expect(hasher.stats).toMatchObject({ running: 1, waitingIdle: 4 })
    await finishAll()
    await Promise.all(others)
    const refused = (await outcomes).map((one) => (one.status === 'rejected' ? one.reason.code : 'done'))
    expect(refused).toEqual(['done', 'done', 'done', 'PASSWORD_HASHER_UNAVAILABLE', 'PASSWORD_HASHER_UNAVAILABLE'])
    expect(engine.begun).toEqual(['a0', 'a1', 'b1', 'a2', 'b2'])
  })

  test('take no place from other clients when they leave, and may return', async () => {
    const { engine, hasher, finishAll } = createHeld({ concurrency: 1, queueLimit: 2 })
    const first = hasher.hash('first')
    const leaving = new AbortController()
    const left = hasher.hash('a1', { ...idle('a'), signal: leaving.signal })
    const waiting = hasher.hash('b1', idle('b'))
    await settle()
    leaving.abort('gone')
    await expect(left).rejects.toBe('gone')
    const again = hasher.hash('a2', idle('a'))
    await settle()
    await finishAll()
    await Promise.all([first, waiting, again])
    expect(engine.begun).toEqual(['first', 'b1', 'a2'])
  })

  test('lose a place once: a signal that is aborted afterwards takes none from others', async () => {
    const { hasher, finishAll } = createHeld({ concurrency: 1, queueLimit: 2 })
    const first = hasher.hash('first')
    const leaving = new AbortController()
    const kept = hasher.hash('a1', idle('a'))
    const dropped = hasher.hash('a2', { ...idle('a'), signal: leaving.signal })
    const taking = hasher.hash('b1', idle('b'))
    await expect(dropped).rejects.toMatchObject({ code: 'PASSWORD_HASHER_UNAVAILABLE' })
    leaving.abort('gone')
    expect(hasher.stats.waitingIdle).toBe(2)
    await finishAll()
    await Promise.all([first, kept, taking])
  })
})

describe('a signal', () => {
  test('refuses the password if it was aborted before', async () => {
    const { engine, hasher } = createHeld()
    await expect(hasher.hash('a', { signal: AbortSignal.abort('gone') })).rejects.toBe('gone')
    expect(engine.begun).toEqual([])
  })

  test('takes a waiting password out of the queue, and the next password moves up', async () => {
    const { engine, hasher, finishAll } = createHeld({ concurrency: 1, queueLimit: 1 })
    const first = hasher.hash('a')
    const leaving = new AbortController()
    const second = hasher.verify('b', null, { signal: leaving.signal })
    await settle()
    await expect(hasher.hash('c')).rejects.toMatchObject({ code: 'PASSWORD_HASHER_UNAVAILABLE' })
    leaving.abort(new Error('the client went away'))
    await expect(second).rejects.toThrow('the client went away')
    expect(hasher.stats.waiting).toBe(0)
    const third = hasher.hash('d')
    await settle()
    await finishAll()
    await Promise.all([first, third])
    expect(engine.begun).toEqual(['a', 'd'])
  })

  test('lets go of a password that is being hashed; its place stays taken until the hash is done', async () => {
    const { engine, hasher } = createHeld({ concurrency: 1 })
    const leaving = new AbortController()
    const first = hasher.hash('a', { signal: leaving.signal })
    await settle()
    leaving.abort('gone')
    await expect(first).rejects.toBe('gone')
    expect(hasher.stats.running).toBe(1)
    await engine.finish('a')
    expect(hasher.stats.running).toBe(0)
  })

  test('has no effect if it is aborted afterwards', async () => {
    const { engine, hasher } = createHeld()
    const later = new AbortController()
    const job = hasher.hash('a', { signal: later.signal })
    await settle()
    await engine.finish('a')
    const stored = await job
    later.abort()
    expect(stored).toMatch(/^\$argon2id/)
  })
})

describe('close', () => {
  test('refuses further hashes, finishes the accepted hashes, and then resolves', async () => {
    const { engine, hasher, finishAll } = createHeld({ concurrency: 1 })
    const jobs = [hasher.hash('a'), hasher.hash('b'), hasher.hash('c', { lane: 'idle' })]
    await settle()
    let isClosed = false
    const closing = hasher.close().then(() => {
      isClosed = true
    })
    await expect(hasher.hash('d')).rejects.toMatchObject({ code: 'PASSWORD_HASHER_CLOSED' })
    await expect(hasher.verify('d', null)).rejects.toMatchObject({ code: 'PASSWORD_HASHER_CLOSED' })
    await expect(hasher.engines()).rejects.toMatchObject({ code: 'PASSWORD_HASHER_CLOSED' })
    await engine.finish('a')
    await engine.finish('b')
    expect(isClosed).toBe(false)
    await finishAll()
    expect((await Promise.all(jobs)).length).toBe(3)
    await closing
    expect(engine.begun).toEqual(['a', 'b', 'c'])
  })

  test('may be called twice, and on a hasher that never hashed', async () => {
    const { hasher } = createHeld()
    await Promise.all([hasher.close(), hasher.close()])
    await hasher.close()
  })
})
