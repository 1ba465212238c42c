import type { EventFacts, LatchkeyEvent } from './latchkey-event.ts'

/** The facts of an event that may be unknown: they can be omitted where it is made. */
type Unknowable<Event> = {
  [Name in keyof EventFacts & keyof Event]: null extends Event[Name] ? Name : never
}[keyof EventFacts & keyof Event]

/**
 * An event as it is decided, without its time: what is omitted is `null`. A union of events is one of decisions.
 */
export type Decision<Event extends LatchkeyEvent> = Event extends LatchkeyEvent
  ? Omit<Event, 'at' | Unknowable<Event>> & Partial<Pick<Event, Unknowable<Event>>>
  : never

const unknownFacts: Readonly<Record<keyof Omit<EventFacts, 'at'>, null>> = {
  accountId: null,
  sessionKey: null,
  address: null,
  device: null,
  requestId: null,
  durationMs: null,
}

/**
 * Returns the event of a decision: every fact is present, and `cause` is not enumerable.
 *
 * @param at when it was decided, in epoch milliseconds.
 */
export function toEvent<Event extends LatchkeyEvent>(decision: Decision<Event>, at: number): Event {
  const event = Object.assign({ type: decision.type, at, ...unknownFacts }, decision)
  if ('cause' in event) Object.defineProperty(event, 'cause', { enumerable: false })
  return event as unknown as Event
}
