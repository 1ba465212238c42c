import { link, mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  checkSecrets,
  decodeBase64url,
  encodeBase64url,
  randomBytes,
  randomToken,
  type SecretKey,
  type SecretKeys,
} from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/options'
import type { SecretSource } from '../service/server-options.ts'

export interface FileSecretsOptions {
  /** The file. Its folder is made when it is missing. */
  readonly path: string
}

/**
 * Gives the secrets of a file, one `<id> <base64url of at least 32 bytes>` a line, the newest first; a missing file is
 * made with one new secret, readable by its owner only. Several processes that start together end up with the same one.
 * Back it up: what it has sealed cannot be read without it.
 *
 * @returns a source whose `load` throws a `TypeError` when the file is malformed or others may read it, and the file
 * system's own error when it cannot be read or made.
 * @throws TypeError when `path` is missing.
 *
 * @example
 * import { createFileSecrets } from '@latchkey/server/node'
 * const secrets = createFileSecrets({ path: '.data/secret' })
 */
export function createFileSecrets(options: FileSecretsOptions): SecretSource {
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

/** Written whole under another name first: whoever loses the race for the real name reads the winner's. */
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
