import { createEvent, type Decision } from './create-event.ts'
import type { LatchkeyEvent } from './latchkey-event.ts'
import { notify } from './notify.ts'
import { printFailure } from './print-event.ts'

/** Makes the event of a decision and hands it to the listener. It never throws. */
export type Emit<Event extends LatchkeyEvent> = (decision: Decision<Event>) => void

export interface EmitterOptions<Event extends LatchkeyEvent> {
  /**
   * Receives every event. What it throws or rejects with is ignored.
   * @default prints failures with `console.error`
   */
  readonly onEvent?: ((event: Event) => unknown) | undefined
  /** Returns epoch milliseconds. */
  readonly now: () => number
}

/**
 * Creates the function by which a package emits its events.
 *
 * @example
 * import { createEmitter, type LatchkeyEvent } from '@latchkey/events'
 * interface NoteDeleted extends LatchkeyEvent {
 *   readonly type: 'note.deleted'
 *   readonly noteId: number
 * }
 * const emit = createEmitter<NoteDeleted>({ onEvent: (event) => console.log(JSON.stringify(event)), now: Date.now })
 * emit({ type: 'note.deleted', noteId: 7, accountId: 'acc_1' })
 */
export function createEmitter<Event extends LatchkeyEvent>({
  onEvent = printFailure,
  now,
}: EmitterOptions<Event>): Emit<Event> {
  return (decision) => notify(onEvent, createEvent<Event>(decision, now()))
}
