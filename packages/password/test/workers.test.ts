import { describe, expect, test } from 'vitest'
import { runProgram } from './run-program.ts'

/** Counts the workers that are started, and offers what a test needs. */
const prelude = `
  import { createHook } from 'node:async_hooks'
  let workers = 0
  createHook({ init(_id, type) { if (type === 'WORKER') workers++ } }).enable()
  const { allowWeakHashes, createPasswordHasher, hashPassword } = await import('@latchkey/password')
  const weak = { argon2id: { memoryKib: 64, iterations: 1 }, strength: allowWeakHashes }
  const print = (value) => console.log(JSON.stringify(value))
`

/** Changes what the platform offers before the package is loaded. */
const withThreads = (threads: string, body: string) => `
  import * as real from 'node:worker_threads'
  const { getBuiltinModule } = process
  const offered = ${threads}
  process.getBuiltinModule = (id) => (id === 'node:worker_threads' ? offered : getBuiltinModule(id))
  ${prelude}
  ${body}
`

describe('a process', () => {
  test('starts no worker if it never hashes', async () => {
    const { exitCode, output } = await runProgram(`${prelude}
      const hasher = createPasswordHasher()
      await hasher.close()
      print({ workers })`)
    expect({ exitCode, ...output }).toEqual({ exitCode: 0, workers: 0 })
  })

  test('exits without close after it has hashed', async () => {
    const { exitCode, output } = await runProgram(`${prelude}
      const stored = await hashPassword('otters')
      print({ workers, stored })`)
    expect({ exitCode, ...output }).toMatchObject({
      exitCode: 0,
      workers: 1,
      stored: expect.stringMatching(/^\$argon2id/),
    })
  })

  test('starts a worker for each concurrent hash, and reuses the workers', async () => {
    const { output } = await runProgram(`${prelude}
      const hasher = createPasswordHasher({ ...weak, concurrency: 2 })
      for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 10 }, () => hasher.hash('otters')))
      await hasher.engines()
      print({ workers })`)
    expect(output).toEqual({ workers: 2 })
  })

  test('has no running worker after close', async () => {
    const { exitCode, output } = await runProgram(
      withThreads(
        `(() => {
          const ended = []
          const end = (worker) => worker.on('exit', () => ended.push(worker))
          return { ended, Worker: class extends real.Worker { constructor(...given) { super(...given); end(this) } } }
        })()`,
        `
        const hasher = createPasswordHasher({ ...weak, concurrency: 2 })
        const hashing = Promise.all([hasher.hash('a'), hasher.hash('b'), hasher.hash('c')])
        await hasher.close()
        print({ workers, ended: offered.ended.length, hashed: (await hashing).length })`,
      ),
    )
    expect({ exitCode, ...output }).toEqual({ exitCode: 0, workers: 2, ended: 2, hashed: 3 })
  })
})

describe('a platform that may not compile WebAssembly', () => {
  /** What Cloudflare Workers answer, and what is not there in a browser or V8 without it. */
  const platforms = [
    [
      'refuses to',
      `const refuse = () => { throw new WebAssembly.CompileError('Wasm code generation disallowed by embedder') }
       WebAssembly.Module = class { constructor() { refuse() } }
       WebAssembly.compile = WebAssembly.instantiate = async () => refuse()`,
    ],
    ['has none', 'delete globalThis.WebAssembly'],
  ] as const

  test.each(platforms)('because it %s hashes and verifies by JavaScript', async (_what, platform) => {
    const { exitCode, output, errors } = await runProgram(`
      process.getBuiltinModule = () => undefined
      ${platform}
      const { allowWeakHashes, createPasswordHasher, wrapHash } = await import('@latchkey/password')
      const weak = { argon2id: { memoryKib: 64, iterations: 1 }, strength: allowWeakHashes }
      // The application has not installed the native engine.
      const hasher = createPasswordHasher({ ...weak, engines: { argon2id: '@noble/hashes', argon2i: '@noble/hashes' } })
      const stored = [
        await hasher.hash('otters'),
        await createPasswordHasher({ scrypt: { cost: 64 }, strength: allowWeakHashes }).hash('otters'),
        await hasher.wrap('c7b1b011f1aba54879393a220705a840', { algorithm: 'md5' }),
      ]
      const oks = []
      for (const one of stored) oks.push((await hasher.verify('otters', one)).ok)
      const { argon2id, scrypt, pbkdf2, place } = await hasher.engines().catch(({ message }) => ({ argon2id: message }))
      console.log(JSON.stringify({ oks, argon2id, scrypt, pbkdf2, place }))`)
    expect(errors).toBe('')
    expect({ exitCode, ...output }).toEqual({
      exitCode: 0,
      oks: [true, true, true],
      argon2id: '@noble/hashes',
      scrypt: '@noble/hashes',
      pbkdf2: 'web-crypto',
      place: 'thread',
    })
  })
})

describe('a platform without worker threads', () => {
  const body = `
    const hasher = createPasswordHasher({ ...weak, concurrency: 4 })
    const stored = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((password) => hasher.hash(password)))
    const verdicts = await Promise.all(stored.map((one) => hasher.verify('c', one)))
    print({ workers, oks: verdicts.map(({ ok }) => ok), ...(await hasher.engines()) })
    await hasher.close()`

  test('computes on the calling thread, with the same result', async () => {
    const { exitCode, output } = await runProgram(withThreads('undefined', body))
    expect({ exitCode, ...output }).toMatchObject({
      exitCode: 0,
      workers: 0,
      oks: [false, false, true, false, false],
      place: 'thread',
      argon2id: '@node-rs/argon2',
    })
  })

  test('has every engine there, one hash after the other', async () => {
    const { exitCode, output, errors } = await runProgram(
      withThreads(
        'undefined',
        `
        const isNative = 'argon2' in process.getBuiltinModule('node:crypto')
        const native = isNative ? [[{ argon2id: 'node:crypto' }, weak.argon2id]] : []
        const jobs = [
          [{ argon2id: 'hash-wasm' }, weak.argon2id],
          [{ argon2id: '@node-rs/argon2' }, weak.argon2id], ...native,
        ]
        const stored = []
        for (const [engines, argon2id] of jobs) {
          const hasher = createPasswordHasher({ ...weak, argon2id, engines })
          stored.push(await hasher.hash('otters'))
        }
        const scrypt = createPasswordHasher({ scrypt: { cost: 64 }, strength: allowWeakHashes })
        const bcrypt = createPasswordHasher({ bcrypt: { cost: 4 }, strength: allowWeakHashes })
        stored.push(await scrypt.hash('otters'), await bcrypt.hash('otters'))
        stored.push('$pbkdf2-sha256$i=1000$S+sgTDC3EULZPiLGPMfx1A$POZTyH0lQmAce4yfWVz08BPTE37+r9XeMGy6WfJQ5pM')
        const oks = []
        for (const one of stored) oks.push((await scrypt.verify(one.startsWith('$pbkdf2') ? 'lètmein ✓ twice' : 'otters', one)).ok)
        print({ failed: oks.filter((ok) => !ok).length, count: oks.length - native.length })`,
      ),
    )
    expect(errors).toBe('')
    expect({ exitCode, ...output }).toEqual({ exitCode: 0, failed: 0, count: 5 })
  })

  test.each([
    ['forbids them', '{ Worker: class { constructor() { throw new Error("no workers here") } } }'],
    [
      'cannot find the worker’s file',
      '{ Worker: class extends real.Worker { constructor(file, options) { super(new URL("./missing.js", file), options) } } }',
    ],
  ])('because it %s computes on the calling thread, and warns once what to do', async (_what, threads) => {
    const { exitCode, output, errors } = await runProgram(withThreads(threads, body))
    expect({ exitCode, ...output }).toMatchObject({
      exitCode: 0,
      oks: [false, false, true, false, false],
      place: 'thread',
    })
    expect(errors.match(/\[LATCHKEY_PASSWORD_WORKER_MISSING\]/g)).toHaveLength(1)
    expect(errors).toContain('latchkey-password-worker=@latchkey/password/worker as a second entry point')
  })

  test('is a process with Node’s permission model', async () => {
    const { exitCode, output } = await runProgram(`${prelude}${body}`, ['--permission', '--allow-fs-read=*'])
    expect({ exitCode, ...output }).toMatchObject({
      exitCode: 0,
      oks: [false, false, true, false, false],
      place: 'thread',
    })
  })
})

test('a worker that exits while it computes fails that password only', async () => {
  const { exitCode, output } = await runProgram(
    withThreads(
      `(() => {
        const started = []
        return { started, Worker: class extends real.Worker { constructor(...given) { super(...given); started.push(this) } } }
      })()`,
      `
      const hasher = createPasswordHasher({ concurrency: 1 })
      // Much dearer than the others, so that it is under way for sure.
      const dear = (await hasher.hash('first')).replace('m=19456,t=2', 'm=65536,t=6')
      const failing = hasher.verify('second', dear).then(() => 'verified', (error) => error.message)
      while (hasher.stats.running === 0) await new Promise((resolve) => setImmediate(resolve))
      const waiting = hasher.hash('third')
      await offered.started[0].terminate()
      print({ failed: await failing, next: (await waiting).slice(0, 9), ...hasher.stats, place: (await hasher.engines()).place })
      await hasher.close()`,
    ),
  )
  expect({ exitCode, ...output }).toMatchObject({
    exitCode: 0,
    failed: 'the hashing worker has ended',
    next: '$argon2id',
    running: 0,
    place: 'worker',
  })
})

test('importing the worker’s module in an application has no effect, in its own worker too', async () => {
  const { exitCode, output } = await runProgram(`
    import { Worker, isMainThread, parentPort } from 'node:worker_threads'
    await import('@latchkey/password/worker')
    const program = "import('@latchkey/password/worker').then(() => require('node:worker_threads').parentPort.postMessage('mine'))"
    const worker = new Worker(program, { eval: true, workerData: { job: 1 }, execArgv: ['--conditions=@latchkey/source'] })
    const messages = []
    worker.on('message', (message) => messages.push(message))
    worker.on('exit', () => console.log(JSON.stringify({ messages })))`)
  expect({ exitCode, ...output }).toEqual({ exitCode: 0, messages: ['mine'] })
})

test('without workers never more than one hash is in libuv’s pool', async () => {
  const { exitCode, output } = await runProgram(`
    import * as crypto from 'node:crypto'
    let running = 0
    let most = 0
    const scrypt = (...given) => {
      most = Math.max(most, ++running)
      const done = given.pop()
      crypto.scrypt(...given, (...result) => { running--; done(...result) })
    }
    const { getBuiltinModule } = process
    const offered = { 'node:worker_threads': undefined, 'node:crypto': { ...crypto, scrypt } }
    process.getBuiltinModule = (id) => (id in offered ? offered[id] : getBuiltinModule(id))
    ${prelude}
    const hasher = createPasswordHasher({ scrypt: { cost: 1024 }, strength: allowWeakHashes, concurrency: 4 })
    const stored = await Promise.all(Array.from({ length: 8 }, () => hasher.hash('otters')))
    print({ most, hashed: stored.length })`)
  expect({ exitCode, ...output }).toEqual({ exitCode: 0, most: 1, hashed: 8 })
})

if (process.platform === 'linux') {
  test.each([
    ['', ''],
    [' that is low itself', "const os = await import('node:os'); os.setPriority(Math.max(12, os.getPriority()))"],
  ])(
    'a worker lets everything else go first, and the rest of the process%s keeps its priority',
    async (_what, begin) => {
      const { output } = await runProgram(`${prelude}
      import { readdirSync, readFileSync } from 'node:fs'
      ${begin}
      const hasher = createPasswordHasher({ ...weak, concurrency: 2 })
      await Promise.all([hasher.hash('a'), hasher.hash('b')])
      // The 19th field of stat; the name before it may contain anything but is in parentheses.
      const nice = readdirSync('/proc/self/task').map((task) =>
        Number(readFileSync('/proc/self/task/' + task + '/stat', 'utf8').split(') ')[1].split(' ')[16]))
      const own = Number(readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')[16])
      print({ lowered: nice.filter((one) => one > own).length, own })
      await hasher.close()`)
      // Nothing goes after a process of the lowest priority.
      expect(output.lowered).toBe(output.own === 19 ? 0 : 2)
    },
  )
}
