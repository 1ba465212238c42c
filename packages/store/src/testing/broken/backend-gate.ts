import { pause, wallClock } from '@latchkey/core/internal'
import { StoreError } from '../../errors.ts'
import type { RecordStore } from '../../record-store.ts'

/** How long a client of the slow backend waits, in milliseconds. */
const deadlineMs = 50
/**
 * Shorter than the deadline, because a timer may fire early: a command whose caller has given up must not be executed.
 */
const notAfterMs = 40

/** The gate of the slow backend: open, frozen (no answer until it is thawed) or cut (every command fails). */
export interface BackendGate {
  isOpen(): boolean
  cut(): void
  freeze(): void
  thaw(): void
  /** Passes a command with a not-after time: after about the deadline it is no longer executed. */
  pass(): Promise<void>
  /** The same without a not-after time: a command that was held is executed on thaw. */
  passLate(): Promise<void>
}

export function createBackendGate(): BackendGate {
  let isCut = false
  let frozen: PromiseWithResolvers<void> | null = null
  async function passLate(): Promise<void> {
    await frozen?.promise
    if (isCut) throw new Error('connect ECONNREFUSED')
  }
  return {
    isOpen: () => !isCut && frozen === null,
    cut() {
      isCut = true
    },
    freeze() {
      frozen ??= Promise.withResolvers<void>()
    },
    thaw() {
      frozen?.resolve()
      frozen = null
    },
    async pass() {
      const sentAt = wallClock()
      const isHeld = frozen !== null
      await passLate()
      if (isHeld && wallClock() - sentAt >= notAfterMs) throw new Error('the command came too late')
    },
    passLate,
  }
}

/** Sets a deadline for every method and turns the errors of the backend into a `StoreError`. */
export function guardStore(store: Required<Omit<RecordStore, 'close' | 'isInMemory'>>, gate: BackendGate): RecordStore {
  const guarded =
    <Given extends unknown[], Answer>(method: (...given: Given) => Promise<Answer>) =>
    (...given: Given): Promise<Answer> =>
      guardCall(() => method(...given), gate)
  return {
    ...store,
    insert: guarded(store.insert),
    get: guarded(store.get),
    replace: guarded(store.replace),
    touch: guarded(store.touch),
    remove: guarded(store.remove),
    listByOwner: guarded(store.listByOwner),
    removeByOwner: guarded(store.removeByOwner),
    sweep: guarded(store.sweep),
  }
}

/** While the backend answers, the deadline is not applied, because slow machines are not under test. */
export async function guardCall<Answer>(call: () => Promise<Answer>, gate: BackendGate): Promise<Answer> {
  const late = async (): Promise<never> => {
    await pause(deadlineMs)
    throw new Error('no answer before the deadline')
  }
  try {
    return await (gate.isOpen() ? call() : Promise.race([call(), late()]))
  } catch (cause) {
    throw new StoreError('STORE_UNAVAILABLE', 'the backend failed', { cause })
  }
}
