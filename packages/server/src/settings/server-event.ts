import type { AccountsEvent } from '@latchkey/accounts'
import type { AccessEvent } from '@latchkey/graphql'
import type { SessionsEvent } from '@latchkey/sessions'

/** A decision of the service, or a failure. No event holds a secret, a token, a password, a hash or an e-mail address. */
export type ServerEvent = AccountsEvent | SessionsEvent | AccessEvent | KeysRotatedEvent | ServiceFailedEvent

/** Another key signs access tokens now. */
export interface KeysRotatedEvent {
  readonly type: 'keys-rotated'
  /** Epoch milliseconds. */
  readonly at: number
  /** The `kid` of the new key, which is no secret. */
  readonly keyId: string
}

/** Something outside GraphQL failed on our side. Whoever asked was answered 503 or 500, without the reason. */
export interface ServiceFailedEvent {
  readonly type: 'service-failed'
  /** Epoch milliseconds. */
  readonly at: number
  /**
   * What was being done: a page answered, the readiness of the stores asked for, or roles taken from their store that
   * cannot be used here, so that those before them stay.
   */
  readonly during: 'page' | 'readiness' | 'roles'
  /** What was thrown. Not enumerable: it reaches a log only by name, because it may hold addresses and parameters. */
  readonly cause: unknown
}

/** Gives the event with its cause hidden from whatever enumerates. */
export function createFailedEvent(event: ServiceFailedEvent): ServiceFailedEvent {
  return Object.defineProperty({ ...event }, 'cause', { enumerable: false })
}

/** Tells an event to whoever listens. It never throws. */
export type Announce = (event: ServerEvent) => void

type DiagnosticsChannel = { readonly hasSubscribers: boolean; publish(event: ServerEvent): void }
declare const process:
  | { getBuiltinModule?(id: 'node:diagnostics_channel'): { channel(name: string): DiagnosticsChannel } | undefined }
  | undefined

/** Gives what tells events to the listener and to the diagnostics channel `latchkey:event`, where the runtime has it. */
export function createAnnouncer(onEvent: ((event: ServerEvent) => unknown) | undefined): Announce {
  const diagnostics =
    typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:diagnostics_channel')
  const channel = diagnostics?.channel('latchkey:event')
  return (event) => {
    if (channel?.hasSubscribers) channel.publish(event)
    else if (!onEvent) printFailure(event)
    void tell(onEvent, event)
  }
}

/** What a listener throws, at once or later, is its own affair: it neither changes an answer nor ends the process. */
async function tell(onEvent: ((event: ServerEvent) => unknown) | undefined, event: ServerEvent): Promise<void> {
  try {
    await onEvent?.(event)
  } catch {
    // A log that is full must not let anybody in or keep anybody out.
  }
}

/** Decisions are part of the day, but a failure that nobody hears of would be lost without a trace. */
export function printFailure(event: ServerEvent): void {
  const line = `@latchkey/server: ${JSON.stringify(event)}`
  // biome-ignore-start lint/suspicious/noConsole: the last resort of a service that has no listener
  if ('cause' in event) console.error(line, event.cause)
  else if ('failure' in event) console.error(line)
  // biome-ignore-end lint/suspicious/noConsole: the last resort of a service that has no listener
}
