import type { LatchkeyEvent } from './latchkey-event.ts'

/** Events whose cause may quote the mail that was sent, with its address and its link. */
const quoting: ReadonlySet<string> = new Set(['mail.failed'])

/**
 * Returns whether something failed; a refusal is ordinary.
 *
 * @example
 * import { isFailure, type LatchkeyEvent } from '@latchkey/core'
 * declare const event: LatchkeyEvent
 * if (isFailure(event)) console.error(JSON.stringify(event))
 */
export function isFailure(event: LatchkeyEvent): boolean {
  return 'cause' in event || 'failure' in event
}

/**
 * Prints an event with `console.error` as one line of JSON, and what a failure has thrown with its stack; the message of
 * what a mailer has thrown is left out, because it may quote the mail.
 *
 * @example
 * import { type LatchkeyEvent, printEvent } from '@latchkey/core'
 * const onEvent = (event: LatchkeyEvent) => (event.type === 'access.failed' ? printEvent(event) : undefined)
 */
export function printEvent(event: LatchkeyEvent): void {
  const line = `latchkey: ${JSON.stringify(event)}`
  const { cause } = event as { readonly cause?: unknown }
  // biome-ignore-start lint/suspicious/noConsole: the last resort of a service that has no listener
  if (cause === undefined) console.error(line)
  else console.error(line, quoting.has(event.type) ? framesOf(cause) : cause)
  // biome-ignore-end lint/suspicious/noConsole: the last resort of a service that has no listener
}

/**
 * The listener where none is given. Decisions are ordinary and not printed; a failure would be lost.
 */
export function printFailure(event: LatchkeyEvent): void {
  if (isFailure(event)) printEvent(event)
}

/** Returns where something was thrown, without its message, whatever lines that has. */
function framesOf(cause: unknown): string {
  if (!(cause instanceof Error)) return ''
  const { stack = '', message } = cause
  const at = stack.indexOf(message)
  const below = at === -1 ? '' : stack.slice(at + message.length)
  return below
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n')
}
