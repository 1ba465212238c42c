import { createSealer, type SecretKeys } from '@latchkey/bytes'

/** Values that the sender holds as a sealed handle, so that the server does not store them. */
export interface SealedValues {
  /** Returns the handle of a value, or `null`: it would be too long for an address. */
  seal(value: string): Promise<string | null>
  /** Returns the value of a handle with its expiry; `null`: it is not a valid handle, or it has expired. */
  open(handle: string | null): Promise<SealedValue | null>
}

export interface SealedValue {
  readonly value: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export interface SealedValuesOptions {
  readonly secrets: SecretKeys
  readonly now: () => number
  /** The sealed kind: a handle of one kind is not valid as another. */
  readonly kind: string
  readonly ttlSeconds: number
}

/** With its path, a handle is a `return_to` of this server, which has at most 2048 characters. */
const longest = 1900

export function createSealedValues({ secrets, now, kind, ttlSeconds }: SealedValuesOptions): SealedValues {
  const sealer = createSealer({ secrets, purpose: kind })
  // Credentials of stored values have no dot after the kind, so the prefix distinguishes sealed handles.
  const prefix = `${kind}.`
  return {
    async seal(value) {
      const plain = new TextEncoder().encode(`${now() + ttlSeconds * 1000} ${value}`)
      if (plain.length > longest) return null
      const handle = `${prefix}${await sealer.seal(plain, '')}`
      return handle.length > longest ? null : handle
    },
    async open(handle) {
      if (!handle?.startsWith(prefix) || handle.length > longest) return null
      const opened = await sealer.open(handle.slice(prefix.length), '')
      const [, end = '', value = ''] = /^(\d+) (.*)$/s.exec(opened ? new TextDecoder().decode(opened) : '') ?? []
      const expiresAt = Number(end)
      return value !== '' && expiresAt > now() ? { value, expiresAt } : null
    },
  }
}
