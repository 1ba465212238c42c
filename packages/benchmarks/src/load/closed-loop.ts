import type { LoadTarget } from './load-target.ts'

/** The result of a server under requests without pauses. */
export interface ClosedLoop {
  readonly requests: number
  /** Until the last answer. */
  readonly milliseconds: number
}

/** Lets every connection ask again as soon as it has its answer, for so long, and waits for the last answers. */
export function runClosedLoop({ name, connections, next }: LoadTarget, milliseconds: number): Promise<ClosedLoop> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const endsAt = startedAt + milliseconds
    let requests = 0
    let open = connections.length
    for (const connection of connections) {
      const answered = (status: number): void => {
        requests++
        if (status !== 200) reject(new Error(`${name} answered ${status}`))
        const now = performance.now()
        if (now < endsAt) connection.send(next(), answered)
        else if (--open === 0) resolve({ requests, milliseconds: now - startedAt })
      }
      connection.send(next(), answered)
    }
  })
}
