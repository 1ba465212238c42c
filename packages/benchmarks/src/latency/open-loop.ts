import type { Connection } from '../load/connection.ts'
import type { LoadTarget } from '../load/load-target.ts'
import type { Schedule } from './schedule.ts'

/**
 * Sends requests when they are due, whether or not earlier ones were answered, and returns for each the milliseconds from the moment
 * at which it was due until its answer. One that finds no free connection waits, and its wait counts: nothing is omitted that
 * a client would have noticed.
 *
 * The waiting is done in turns of the event loop, because timers are a millisecond coarse.
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
