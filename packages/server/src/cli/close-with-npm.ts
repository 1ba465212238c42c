import { every } from '@latchkey/core/internal'

/**
 * Calls `close` when the shell has ended through which npm starts commands: npm sends SIGTERM to the shell alone, and most shells
 * do not pass it on. Does nothing if npm did not start this process. Returns a function that stops the watch.
 */
export function closeWithNpm(close: () => Promise<void>): () => void {
  const shell = process.ppid
  // A command in the background has lost its shell before.
  if (process.env.npm_command === undefined || shell === 1) return () => undefined
  const watch = every(500, () => {
    if (process.ppid === shell) return
    watch.stop()
    void close()
  })
  return () => watch.stop()
}
