import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { type Environment, type Quickstart, skewedStart, startQuickstart } from './start-quickstart.ts'
import type { Answer } from './visitor.ts'

const [program, ...words] = skewedStart
const preloaded = fileURLToPath(new URL('stop-after-writes.ts', import.meta.url))

/** A service on SQLite that can be stopped between its writes. */
export interface StoppingQuickstart {
  readonly service: Quickstart
  /**
   * Asks, and kills the process after a number of writes: `null`. Returns the answer that came before so many. The process is
   * dead afterwards in any case.
   *
   * @param between is awaited while the process stands still after each of the writes.
   */
  killAfter(writes: number, ask: () => Promise<Answer>, between?: () => Promise<void>): Promise<Answer | null>
  /** The same after the first write with which something is true. What the process writes by itself counts for nothing. */
  killWhen(isTrue: () => Promise<boolean>, ask: () => Promise<Answer>): Promise<Answer | null>
}

export async function startStoppingQuickstart(environment: Environment): Promise<StoppingQuickstart> {
  const service = await startQuickstart(environment, [program, '--import', preloaded, ...words])
  const pid = service.pid ?? 0
  const killWhen: StoppingQuickstart['killWhen'] = async (isTrue, ask) => {
    process.kill(pid, 'SIGUSR2')
    await expect.poll(service.output).toContain(`${pid} stops after each write`)
    const answered = { answer: null as Answer | null, isOver: false }
    const asked = ask().then(
      (answer) => Object.assign(answered, { answer, isOver: true }),
      () => Object.assign(answered, { isOver: true }),
    )
    for (;;) {
      while (!isStopped(pid) && !answered.isOver) await setTimeout(2)
      if (!isStopped(pid) || (await isTrue())) break
      process.kill(pid, 'SIGCONT')
    }
    await service.kill()
    await asked
    return answered.answer
  }
  return {
    service,
    killWhen,
    killAfter(writes, ask, between = async () => {}) {
      let written = 0
      const isLast = async (): Promise<boolean> => {
        written++
        await between()
        return written >= writes
      }
      return killWhen(isLast, ask)
    },
  }
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the state stands behind the name, which has parentheses. */
function isStopped(pid: number): boolean {
  return /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}
