import { StoreError } from '@latchkey/store'
import { expect } from 'vitest'

/** What every operation of these tests may take, and what may come on top until the caller has its answer. */
const [deadlineMs, toleranceMs] = [250, 50]

/**
 * Waits for an operation on a database that cannot answer: a `StoreError`, at the deadline or before. The deadline is
 * held against a timer of this process, so that a busy machine is not mistaken for a slow answer. Gives the milliseconds.
 */
export async function expectOutage(what: string, operation: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  const timer = new Promise<number>((resolve) => setTimeout(() => resolve(performance.now()), deadlineMs))
  const error = await operation().catch((reason: unknown) => reason)
  const end = performance.now()
  expect(error, what).toBeInstanceOf(StoreError)
  expect(error, what).toMatchObject({ code: 'STORE_UNAVAILABLE' })
  const deadline = end - start < deadlineMs ? end : await timer
  expect(end - deadline, `${what}: milliseconds after the deadline`).toBeLessThan(toleranceMs)
  return tell(`${what}: StoreError after`, end - start)
}

/** Waits until an operation works again, which has to be within 2 s and without any help. */
export async function expectRecovery(what: string, operation: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  for (;;) {
    try {
      await operation()
      break
    } catch (error) {
      if (performance.now() - start > 2000) throw new Error(`${what}: still down after 2 s`, { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return tell(`${what}: works again after`, performance.now() - start)
}

function tell(text: string, milliseconds: number): number {
  process.stdout.write(`  ${text} ${milliseconds.toFixed(0)} ms\n`)
  return milliseconds
}
