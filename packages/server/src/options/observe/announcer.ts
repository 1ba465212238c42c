import { isFailure, printEvent } from '@latchkey/core'
import { notify } from '@latchkey/core/internal'
import type { ServerEvent } from './server-event.ts'
import type { ServiceTelemetry } from './service-telemetry.ts'

/** Passes an event to the listeners. It never throws. */
export type Announce = (event: ServerEvent) => void

/** A channel of `node:diagnostics_channel`. */
interface Channel {
  readonly hasSubscribers: boolean
  publish(message: unknown): void
}
declare const process:
  | { getBuiltinModule?(id: 'node:diagnostics_channel'): { channel(name: string): Channel } | undefined }
  | undefined

/** Returns a diagnostics channel; `undefined` if the runtime has no such channels. */
export function findChannel(name: string): Channel | undefined {
  const diagnostics =
    typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:diagnostics_channel')
  return diagnostics?.channel(name)
}

/**
 * Creates a function that passes events to the listener and, if the runtime has it, the diagnostics channel
 * `latchkey:event`.
 */
export function createAnnouncer(
  onEvent: ((event: ServerEvent) => unknown) | undefined,
  telemetry?: Pick<ServiceTelemetry, 'onEvent'>,
): Announce {
  const channel = findChannel('latchkey:event')
  return (event) => {
    if (channel?.hasSubscribers) channel.publish(event)
    else if (!onEvent) printWarning(event)
    if (onEvent) notify(onEvent, event)
    if (telemetry) notify(telemetry.onEvent, event)
  }
}

/** Decisions are ordinary, but without a listener a failure, a setting to look at or a wrong clock would be lost. */
export function printWarning(event: ServerEvent): void {
  if (isFailure(event) || 'setting' in event || warnings.includes(event.type)) printEvent(event)
}

const warnings: readonly string[] = ['clock.skewed', 'limit.exceeded'] satisfies ServerEvent['type'][]
