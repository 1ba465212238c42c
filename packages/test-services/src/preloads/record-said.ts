// Imported before a program: every event and measurement that its process publishes is added to the file SAID_FILE, one a
// line, with all that they hold, what is not enumerable included.

import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { inspect } from 'node:util'

const file = process.env.SAID_FILE ?? ''

/** As a log would have it, and as far as one can look into it. */
const record = (channel: 'event' | 'measurement') => (said: unknown) => {
  const seen = inspect(said, {
    depth: 12,
    showHidden: true,
    maxStringLength: null,
    breakLength: Number.POSITIVE_INFINITY,
  })
  appendFileSync(file, `${JSON.stringify({ channel, said, seen })}\n`)
}

// Before the program subscribes to nothing: what it measures depends on who listens when it is created.
subscribe('latchkey:event', record('event'))
subscribe('latchkey:measurement', record('measurement'))
