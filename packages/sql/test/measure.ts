import { StoreError } from '@latchkey/store'
import { expectWithin, patienceMs, startStopwatch } from '@latchkey/test-services'
import { expect } from 'vitest'

/**
 * Waits for an operation on a database that cannot answer: a `StoreError`, within 50 ms of the deadline of 250 ms.
 */
export async function expectOutage(what: string, operation: () => Promise<unknown>): Promise<void> {
  const elapsed = startStopwatch(250)
  const error = await operation().catch((reason: unknown) => reason)
  const elapsedMs = elapsed()
  expect(error, what).toBeInstanceOf(StoreError)
  expect(error, what).toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expectWithin(300, `${what}: StoreError after`, elapsedMs)
}

/** Waits until an operation works again, which has to be within 2 s and without any help. */
export async function expectRecovery(what: string, operation: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  for (;;) {
    try {
      await operation()
      break
    } catch (error) {
      if (performance.now() - start > patienceMs) throw new Error(`${what}: still down`, { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  expectWithin(2000, `${what}: works again after`, performance.now() - start)
}
