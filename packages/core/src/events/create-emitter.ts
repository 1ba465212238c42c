import { checkOptionNames } from '../options/check-option-names.ts'
import type { LatchkeyEvent } from './latchkey-event.ts'
import { notify } from './notify.ts'
import { printFailure } from './print-event.ts'
import { type Decision, toEvent } from './to-event.ts'

/** Makes the event of a decision and hands it to the listener. It never throws. */
export type Emit<Event extends LatchkeyEvent> = (decision: Decision<Event>) => void

export interface EmitterOptions<Event extends LatchkeyEvent> {
  /**
   * Receives every event. Its errors and rejections are ignored.
   * @default prints failures with `console.error`
   */
  readonly onEvent?: ((event: Event) => unknown) | undefined
  /** Returns epoch milliseconds. */
  readonly now: () => number
}

/**
 * Creates the function by which a package emits its events.
 *
 * @throws TypeError when an option is unknown.
 */
export function createEmitter<Event extends LatchkeyEvent>(options: EmitterOptions<Event>): Emit<Event> {
  const { onEvent = printFailure, now } = checkOptionNames('createEmitter', options, { onEvent: true, now: true })
  return (decision) => notify(onEvent, toEvent<Event>(decision, now()))
}
