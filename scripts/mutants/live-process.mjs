import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createVitest } from 'vitest/node'

const idle = 'scripts/mutants/live-idle.test.mjs'

/**
 * Opens what starts processes for tests. `start` replaces the one that is running by a new one, which has loaded nothing;
 * `run` lets it run a file, or `tests` of it by their ids, with a mutant or without.
 */
export async function openProcesses({ configFile }) {
  const path = join(tmpdir(), `latchkey-mutants-${process.pid}.sock`)
  rmSync(path, { force: true })
  const server = createServer().listen(path)
  await once(server, 'listening')
  process.env.LATCHKEY_MUTANTS_SOCKET = path
  const vitest = await createVitest('test', { config: configFile, watch: false, includeTaskLocation: true })
  let current

  async function start() {
    await stop()
    vitest.state.filesMap.clear()
    vitest.state.errorsSet.clear()
    const ended = vitest.start([idle]).catch(() => {})
    const [socket] = await once(server, 'connection')
    const replies = createInterface({ input: socket })[Symbol.asyncIterator]()
    const { pid } = JSON.parse((await replies.next()).value)
    socket.on('error', () => {})
    current = { pid, socket, replies, ended, runs: 0, memory: 0 }
  }

  async function stop() {
    if (!current) return
    const { pid, ended } = current
    current = undefined
    try {
      process.kill(pid, 'SIGKILL')
    } catch {}
    await ended
  }

  /** Returns the answer, or `undefined` when there is none for this long: nothing runs any more then. */
  async function run(command, { forMs }) {
    if (!current) await start()
    const { socket, replies } = current
    current.runs += 1
    let timer
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, forMs, { done: true })
    })
    socket.write(`${JSON.stringify(command)}\n`)
    const { done, value } = await Promise.race([replies.next(), late])
    clearTimeout(timer)
    if (done) {
      await stop()
      return undefined
    }
    const answer = JSON.parse(value)
    if (current) current.memory = answer.memory
    return answer
  }

  return {
    start,
    run,
    isFresh: () => !current || current.runs === 0,
    state: () => current ?? { runs: 0, memory: 0 },
    async files() {
      const specifications = await vitest.globTestSpecifications()
      return specifications.map(({ moduleId }) => moduleId).filter((file) => !file.endsWith(idle))
    },
    async close() {
      await stop()
      await vitest.close()
      server.close()
      rmSync(path, { force: true })
    },
  }
}
