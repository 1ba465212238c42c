import { link, mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  decodeBase64url,
  encodeBase64url,
  randomBytes,
  randomToken,
  type SecretKey,
  type SecretKeys,
} from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import type { SecretSource } from '../options/server/server-options.ts'

/**
 * Creates a source that reads secrets from a file: one `<id> <base64url of at least 32 bytes>` per line, newest first.
 * If the file is missing, it is created with one new secret, readable by its owner only. Processes that start together
 * read the same secret. Back it up: sealed data cannot be read without it.
 *
 * @returns a source whose `load` rejects with a `TypeError` if the file is malformed or others may read it, and with
 * the file system's error if it cannot be read or created.
 * @throws TypeError if `path` is missing.
 *
 * @example
 * import { createFileSecrets } from '@latchkey/server/node'
 * const secrets = createFileSecrets({ path: '.data/secret' })
 */
export function createFileSecrets(options: {
  /** The file. Its folder is created when it is missing. */
  readonly path: string
}): SecretSource {
  const { path } = checkOptionNames('createFileSecrets', options, { path: true })
  if (!path) throw new TypeError('"path" must name a file')
  return {
    async load() {
      const text = (await readIfThere(path)) ?? (await makeSecret(path))
      await requirePrivate(path)
      return parseSecrets(text)
    },
  }
}

async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** Written under another name first: a process that loses the race for the real name reads the winner's secret. */
async function makeSecret(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomToken(16)}`
  const id = encodeBase64url(randomBytes(6))
  await writeFile(draft, `${id} ${encodeBase64url(randomBytes(32))}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
  return readFile(path, 'utf8')
}

async function requirePrivate(path: string): Promise<void> {
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new TypeError(`others may read the secret: run chmod 600 ${path}`)
  }
}

function parseSecrets(text: string): SecretKeys {
  const lines = text.split(/\r?\n/).filter(Boolean)
  const [first, ...rest] = lines.map(parseSecret)
  if (!first) throw new TypeError('the secret file is empty: restore it, or remove it and lose what it sealed')
  return checkSecrets([first, ...rest])
}

function parseSecret(line: string): SecretKey {
  const [id = '', encoded = '', ...more] = line.split(' ')
  const bytes = more.length === 0 ? decodeBase64url(encoded) : null
  if (bytes) return { id, bytes }
  throw new TypeError('each line of the secret file is "<id> <base64url of at least 32 bytes>": restore it')
}
