import type { Connection } from '../load/connection.ts'
import type { LoadTarget } from '../load/load-target.ts'
import type { Schedule } from './schedule.ts'

/**
 * Sends requests when they are due, even if earlier requests are unanswered. Returns for each the milliseconds from its
 * due time to its answer. A request without a free connection waits, and its wait counts: no delay that a client would
 * notice is omitted. It waits in turns of the event loop, because timers have a resolution of a millisecond.
 */
export function runOpenLoop({ name, connections, next }: LoadTarget, schedule: Schedule): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const waits: number[] = []
    const idle: Connection[] = [...connections]
    const startedAt = performance.now()
    let sent = 0
    const sendDue = (): void => {
      const due = schedule.dueBy(performance.now() - startedAt)
      while (sent < due) {
        const connection = idle.pop()
        if (!connection) return
        send(connection, startedAt + schedule.dueAt(sent++))
      }
    }
    const send = (connection: Connection, dueAt: number): void => {
      connection.send(next(), (status) => {
        waits.push(performance.now() - dueAt)
        if (status !== 200) reject(new Error(`${name} answered ${status}`))
        idle.push(connection)
        if (waits.length === schedule.count) resolve(waits)
      })
    }
    const turn = (): void => {
      sendDue()
      if (sent < schedule.count) setImmediate(turn)
    }
    turn()
  })
}
