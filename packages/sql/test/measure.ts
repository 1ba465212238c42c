import { StoreError } from '@latchkey/store'
import { boundFor, expectWithin } from '@latchkey/test-services'
import { expect } from 'vitest'

/**
 * Waits for an operation on a database that cannot answer: a `StoreError`, within 50 ms of the deadline of 250 ms.
 */
export async function expectOutage(what: string, operation: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  const error = await operation().catch((reason: unknown) => reason)
  const elapsed = performance.now() - start
  expect(error, what).toBeInstanceOf(StoreError)
  expect(error, what).toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expectWithin(300, `${what}: StoreError after`, elapsed)
}

/** Waits until an operation works again, which has to be within 2 s and without any help. */
export async function expectRecovery(what: string, operation: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  for (;;) {
    try {
      await operation()
      break
    } catch (error) {
      if (performance.now() - start > boundFor(2000)) throw new Error(`${what}: still down`, { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  expectWithin(2000, `${what}: works again after`, performance.now() - start)
}
