import { createOneTimeCredentials, type OneTimeValue, type RecordStore } from '@latchkey/store'

/** One purpose's links: each works once, and none works for another purpose. */
export interface Links {
  /** Gives the address for a mail, whose token can be read this once, and the public key of its record. */
  create(link: OneTimeValue): Promise<{ readonly key: string; readonly url: string }>
  /** Gives what a token stands for and leaves it usable. */
  read(token: string): Promise<OneTimeValue | null>
}

export interface LinksOptions {
  readonly records: RecordStore
  readonly kind: string
  readonly ttlSeconds: number
  readonly now: () => number
  /** Where the link leads, without the token. */
  readonly page: string
}

export function createLinks({ page, ...options }: LinksOptions): Links {
  const credentials = createOneTimeCredentials(options)
  return {
    async create(link) {
      const { credential } = await credentials.create(link)
      const key = credential.slice(0, credential.indexOf('.'))
      return { key, url: `${page}?token=${encodeURIComponent(credential)}` }
    },
    read: (token) => credentials.read(token),
  }
}
