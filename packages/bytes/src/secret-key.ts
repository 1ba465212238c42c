/** A symmetric secret with an id, which names it in the values that it sealed or signed. */
export interface SecretKey {
  /** 1 to 32 characters of `A-Z a-z 0-9 _ -`. It is stored as plain text with each value that the secret protects. */
  readonly id: string
  /** At least 32 random bytes. Never a passphrase. */
  readonly bytes: Uint8Array
}

/**
 * At least one secret: the first secret seals and signs, all of them open and verify. To rotate, put a new secret
 * first.
 */
export type SecretKeys = readonly [SecretKey, ...SecretKey[]]

/**
 * Returns the secrets when each of them is valid, for a factory to call on its `secrets` option.
 *
 * @param option its name in messages. Default: `secrets`.
 * @throws TypeError naming the broken rule: no secret, a malformed or repeated id, fewer than 32 bytes.
 */
export function checkSecrets(secrets: SecretKeys, option = 'secrets'): SecretKeys {
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw new TypeError(`"${option}" must be a list of at least one secret: [{ id, bytes }]`)
  }
  for (const secret of secrets) checkSecret(secret, option)
  if (new Set(secrets.map(({ id }) => id)).size < secrets.length) throw new TypeError(`"${option}": an id stands twice`)
  return secrets
}

function checkSecret(secret: SecretKey, option: string): void {
  if (typeof secret !== 'object' || secret === null) {
    throw new TypeError(`"${option}": each secret is { id, bytes }, and a text is none`)
  }
  const { id, bytes } = secret
  if (typeof id !== 'string' || !/^[\w-]{1,32}$/.test(id)) {
    throw new TypeError(`"${option}": an id has 1 to 32 characters of A-Z a-z 0-9 _ -`)
  }
  if (!(bytes instanceof Uint8Array) || bytes.length < 32) {
    throw new TypeError(`"${option}": the secret "${id}" must have at least 32 bytes, in a Uint8Array`)
  }
}
