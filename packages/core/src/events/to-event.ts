import type { EventFacts, LatchkeyEvent } from './latchkey-event.ts'

/** The facts that are `null` if they are unknown; a decision can omit them. */
type Unknowable<Event> = {
  [Name in keyof EventFacts & keyof Event]: null extends Event[Name] ? Name : never
}[keyof EventFacts & keyof Event]

/** An event without its time, in which unknown facts can be omitted. A union of events gives a union of decisions. */
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
