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
 * Prints an event with `console.error` as one line of JSON. A failure is followed by its cause, with the stack. Of the
 * cause of `mail.failed`, only the stack is printed and not the message, which may quote the mail.
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

/** The default listener. It prints failures, and no ordinary decisions. */
export function printFailure(event: LatchkeyEvent): void {
  if (isFailure(event)) printEvent(event)
}

/** Returns the frames of the stack, without the message, which may have several lines. */
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
