import { createOneTimeCredentials, type RecordStore } from '@latchkey/store'
import type { OneTimeValue } from '@latchkey/store/internal'

/** The links of one purpose. Each link works once, and only for its purpose. */
export interface Links {
  /** Returns the URL for a mail. Its token is readable this once. */
  create(link: OneTimeValue): Promise<{ readonly url: string }>
  /** Returns the value of a token and leaves it usable; `null` if the token is not valid. */
  read(token: string): Promise<OneTimeValue | null>
}

export interface LinksOptions {
  readonly records: RecordStore
  readonly kind: string
  readonly ttlSeconds: number
  readonly now: () => number
  /** The URL that the link leads to, without the token. */
  readonly page: string
}

export function createLinks({ page, ...options }: LinksOptions): Links {
  const credentials = createOneTimeCredentials(options)
  return {
    async create(link) {
      const { credential } = await credentials.create(link)
      return { url: `${page}?token=${encodeURIComponent(credential)}` }
    },
    read: (token) => credentials.read(token),
  }
}
