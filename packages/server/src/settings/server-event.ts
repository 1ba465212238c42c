import type { AccountsEvent } from '@latchkey/accounts'
import type { AccessEvent } from '@latchkey/graphql'
import type { SessionsEvent } from '@latchkey/sessions'

/** A decision of the service, or a failure. No event holds a secret, a token, a password, a hash or an e-mail address. */
export type ServerEvent =
  | AccountsEvent
  | SessionsEvent
  | AccessEvent
  | KeysRotatedEvent
  | KeysReplacedEvent
  | TokenRevokedEvent
  | ClockSkewedEvent
  | ServiceFailedEvent
  | HostRefusedEvent
  | PlainCookiesEvent

/** A new key signs access tokens. */
export interface KeysRotatedEvent {
  readonly type: 'keys-rotated'
  /** Epoch milliseconds. */
  readonly at: number
  /** The `kid` of the new key, which is public. */
  readonly keyId: string
}

/** After a leak a new key signs access tokens, and every earlier one is refused. */
export interface KeysReplacedEvent {
  readonly type: 'keys-replaced'
  /** Epoch milliseconds. */
  readonly at: number
  /** The `kid` of the new key, which is public. */
  readonly keyId: string
}

/** An access token was ended before its time; its session goes on. */
export interface TokenRevokedEvent {
  readonly type: 'token-revoked'
  /** Epoch milliseconds. */
  readonly at: number
  readonly accountId: string
}

/**
 * The clock of this process and that of the store differ by more than 2 s. The service goes by the store's. Emitted once
 * until they agree again.
 */
export interface ClockSkewedEvent {
  readonly type: 'clock-skewed'
  /** Epoch milliseconds, by the store's clock. */
  readonly at: number
  /** How far this process is ahead; negative: behind. */
  readonly skewMs: number
}

/** The service failed outside GraphQL. The answer was 503 or 500, without the reason. */
export interface ServiceFailedEvent {
  readonly type: 'service-failed'
  /** Epoch milliseconds. */
  readonly at: number
  /**
   * Where it failed: while a page or `/jwks` was answered or the readiness of the stores was checked, or because the roles in their
   * store cannot be used, so that those before them stay.
   */
  readonly during: 'page' | 'jwks' | 'readiness' | 'roles'
  /** What was thrown. Not enumerable, because it may hold addresses and parameters: a log has to name it. */
  readonly cause: unknown
}

/**
 * A request was for a host that is not served, and was answered 421. Reported once an hour for each host, and for at most
 * a hundred hosts an hour.
 */
export interface HostRefusedEvent {
  readonly type: 'host-refused'
  /** Epoch milliseconds. */
  readonly at: number
  /** The host as it is compared, which the client chose: letters, digits and `.-_:[]` only. */
  readonly host: string
  /** The option of `createServer` that would let the service serve it. */
  readonly setting: 'allowedHosts'
}

/** The service has opened with cookies without `Secure`, which only this machine may use. */
export interface PlainCookiesEvent {
  readonly type: 'plain-cookies'
  /** Epoch milliseconds. */
  readonly at: number
  /** The option of `createServer` that asked for them. */
  readonly setting: 'transport'
}

/** Returns the event with a cause that is not enumerable. */
export function createFailedEvent(event: ServiceFailedEvent): ServiceFailedEvent {
  return Object.defineProperty({ ...event }, 'cause', { enumerable: false })
}

/** Passes an event to the listeners. It never throws. */
export type Announce = (event: ServerEvent) => void

type DiagnosticsChannel = { readonly hasSubscribers: boolean; publish(event: ServerEvent): void }
declare const process:
  | { getBuiltinModule?(id: 'node:diagnostics_channel'): { channel(name: string): DiagnosticsChannel } | undefined }
  | undefined

/** Creates an announcer for the listener and, where the runtime has it, the diagnostics channel `latchkey:event`. */
export function createAnnouncer(onEvent: ((event: ServerEvent) => unknown) | undefined): Announce {
  const diagnostics =
    typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:diagnostics_channel')
  const channel = diagnostics?.channel('latchkey:event')
  return (event) => {
    if (channel?.hasSubscribers) channel.publish(event)
    else if (!onEvent) printFailure(event)
    void notify(onEvent, event)
  }
}

/** What a listener throws, at once or later, neither changes an answer nor ends the process. */
async function notify(onEvent: ((event: ServerEvent) => unknown) | undefined, event: ServerEvent): Promise<void> {
  try {
    await onEvent?.(event)
  } catch {
    // A log that is full must neither let anyone in nor keep anyone out.
  }
}

/** Decisions are ordinary, but without a listener a failure, a setting to look at or a wrong clock would be lost. */
export function printFailure(event: ServerEvent): void {
  const line = `@latchkey/server: ${JSON.stringify(event)}`
  // biome-ignore-start lint/suspicious/noConsole: the last resort of a service that has no listener
  if ('cause' in event) console.error(line, event.cause)
  else if ('failure' in event || 'setting' in event || event.type === 'clock-skewed') console.error(line)
  // biome-ignore-end lint/suspicious/noConsole: the last resort of a service that has no listener
}
