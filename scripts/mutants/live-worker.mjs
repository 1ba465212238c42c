// Runs test files for as long as it is told to: the runner of vitest in a process that has loaded the sources once. What it
// runs next, and which mutant is active meanwhile, it reads from a socket, as lines of JSON.
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { TestRunner, vi } from 'vitest'

/** What the sources that Stryker has written read: `activeMutant` is the one that is switched on. */
globalThis.__stryker__ ??= {}
const namespace = globalThis.__stryker__
const coverage = { static: {}, perTest: {} }
namespace.mutantCoverage = coverage

/** One for each process: vitest makes a runner once, and this one never runs out of files. */
export default class LiveWorker extends TestRunner {
  #commands
  #socket
  #command
  #failure
  #errors = []
  #finished = []

  constructor(config) {
    super(config)
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      process.on(event, (error) => this.#errors.push(String(error?.stack ?? error)))
    }
  }

  async onBeforeCollect(paths) {
    await super.onBeforeCollect?.(paths)
    if (!this.#command) return
    const { mutant, hitLimit, testTimeout } = this.#command
    this.config.testTimeout = testTimeout
    this.#failure = undefined
    this.#errors = []
    this.#finished = []
    Object.assign(namespace, { activeMutant: mutant, hitLimit, hitCount: 0, currentTestId: undefined })
    Object.assign(coverage, { static: {}, perTest: {} })
  }

  async onBeforeRunTask(test) {
    // One failure is enough.
    if (this.#failure) test.mode = 'skip'
    namespace.currentTestId = test.id
    await super.onBeforeRunTask(test)
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test)
    namespace.currentTestId = undefined
    const { state, duration, errors } = test.result ?? {}
    if (state === 'fail') this.#fail(test.id, errors)
    if (state === 'pass') this.#finished.push({ id: test.id, name: nameOf(test), at: test.location, duration })
  }

  async onAfterRunSuite(suite) {
    await super.onAfterRunSuite(suite)
    const { state, errors } = suite.result ?? {}
    if (state === 'fail' && errors?.length) this.#fail(undefined, errors)
  }

  async onAfterRunFiles(files) {
    super.onAfterRunFiles(files)
    vi.useRealTimers()
    if (this.#command) await this.#report(files)
    else await this.#connect()
    const next = await this.#commands.next()
    if (next.done) return
    this.#command = JSON.parse(next.value)
    const { file, tests } = this.#command
    // The loop of vitest over the files of this process goes on with what is added to them.
    this.workerState.ctx.files.push({ filepath: file, testIds: tests, fileTags: [] })
  }

  async #connect() {
    // What vitest would report of each test is not read.
    Object.assign(this, { onTaskUpdate: async () => {}, onCollected: async () => {} })
    this.onCollectStart = (file) => super.onCollectStart(file)
    this.#socket = connect(process.env.LATCHKEY_MUTANTS_SOCKET)
    await once(this.#socket, 'connect')
    this.#commands = createInterface({ input: this.#socket })[Symbol.asyncIterator]()
    this.#send({ pid: process.pid })
  }

  async #report([file]) {
    // What a test has left behind may reject a moment later.
    await new Promise((resolve) => setImmediate(resolve))
    // A file that could not be loaded has no tests that could fail.
    if (file.result?.state === 'fail') this.#fail(undefined, file.result.errors)
    if (this.#errors.length > 0) this.#fail(undefined, [{ message: this.#errors[0] }])
    namespace.activeMutant = undefined
    this.#send({
      failure: this.#failure,
      finished: this.#finished,
      coverage: this.#command.isDry ? coverage : undefined,
      isOverLimit: namespace.hitCount > namespace.hitLimit,
      memory: process.memoryUsage.rss(),
    })
  }

  #fail(test, errors) {
    const message = errors?.[0]?.message ?? 'failed'
    this.#failure ??= { test, message: message.slice(0, 500) }
  }

  #send(message) {
    // Titles of tests have separators of lines in them, which would end a line for its reader.
    const line = JSON.stringify(message).replace(/[\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`)
    this.#socket.write(`${line}\n`)
  }
}

function nameOf(task) {
  return task.suite && task.suite !== task.file ? `${nameOf(task.suite)} > ${task.name}` : task.name
}
