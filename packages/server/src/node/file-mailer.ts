import { link, mkdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mailer } from '@latchkey/accounts'
import { randomToken } from '@latchkey/bytes'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'

/**
 * Creates a mailer for development and tests. It writes each message as JSON to a new file `<epoch ms>-<to>.json`. A
 * file appears complete and never replaces another file. Only its owner can read it, because its links work.
 *
 * @throws TypeError if `directory` is missing.
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
      // Messages of the same millisecond get different names.
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
