import { link, mkdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mailer } from '@latchkey/accounts'
import { randomToken } from '@latchkey/bytes'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'

/**
 * Creates a mailer for development and tests: it writes each message to a file `<epoch ms>-<to>.json` with all
 * members of the message. A file appears complete, so a reader never sees half of one, and none replaces another one.
 * The links in it work, so it is readable by its owner only.
 *
 * @throws TypeError when `directory` is missing.
 *
 * @example
 * import { createFileMailer } from '@latchkey/server/node'
 * const mailer = createFileMailer({ directory: '.data/mail' })
 */
export function createFileMailer(options: {
  /** The folder for the messages; created when it is missing. */
  readonly directory: string
  /**
   * The clock, epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}): Mailer {
  const { directory, now = wallClock } = checkOptionNames('createFileMailer', options, { directory: true, now: true })
  if (!directory) throw new TypeError('"directory" must name a folder')
  return {
    async send(message) {
      await mkdir(directory, { recursive: true })
      const draft = join(directory, `.${randomToken(16)}.part`)
      await writeFile(draft, `${JSON.stringify(message, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
      const name = `${message.to.replace(/[^\w.@+-]/g, '_').slice(0, 100)}.json`
      let time = now()
      // Two messages of one millisecond get two names.
      while (!(await isNamed(draft, join(directory, `${time}-${name}`)))) time++
      await unlink(draft)
    },
  }
}

async function isNamed(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
