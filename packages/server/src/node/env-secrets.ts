import { encodeBase64url, type SecretKey, sha256 } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import type { SecretSource } from '../options/server/server-options.ts'

/**
 * Creates a source that reads the secrets of an environment variable: one text of at least 32 random characters, or several
 * separated by commas, the newest first. The id of a secret is derived from its text, so only the text has to be kept.
 *
 * @returns a source whose `load` rejects with a `TypeError` when the variable is missing, or a secret is too short or
 * repeated.
 *
 * @example
 * import { createEnvSecrets } from '@latchkey/server/node'
 * const secrets = createEnvSecrets() // LATCHKEY_SECRET="$(openssl rand -base64 32)"
 */
export function createEnvSecrets(
  options: {
    /**
     * The name of the variable.
     * @default 'LATCHKEY_SECRET'
     */
    readonly variable?: string
    /**
     * Where variables are read.
     * @default process.env
     */
    readonly environment?: Readonly<Record<string, string | undefined>>
  } = {},
): SecretSource {
  checkOptionNames('createEnvSecrets', options, { variable: true, environment: true })
  const { variable = 'LATCHKEY_SECRET', environment = process.env } = options
  return {
    async load() {
      const text = environment[variable]?.trim()
      if (!text) throw new TypeError(`${variable} must be set; ${hint}`)
      const [first = '', ...rest] = text.split(',').map((part) => part.trim())
      return checkSecrets([toSecret(first, variable), ...rest.map((part) => toSecret(part, variable))])
    },
  }
}

const hint = 'make a secret with: openssl rand -base64 32'

function toSecret(text: string, variable: string): SecretKey {
  if (text.length < 32)
    throw new TypeError(`${variable} must have at least 32 random characters in each secret; ${hint}`)
  const bytes = sha256(text)
  // A digest of the digest: the id is public, and no part of the key may be.
  return { id: encodeBase64url(sha256(bytes).slice(0, 6)), bytes }
}
