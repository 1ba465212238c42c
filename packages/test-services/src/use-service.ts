import { beforeEach, inject } from 'vitest'

/** A shared server, or the reason why it is missing. */
export type TestService = { readonly url: string } | { readonly url: null; readonly missing: string }

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: TestService
    redis: TestService
  }
}

/**
 * Returns the URL of a shared server; leave no data in it that could collide with another file. Without the server, it
 * returns an empty text, and the tests of this file or `describe` are skipped with the reason.
 */
export function useService(name: 'postgres' | 'redis'): string {
  const service = inject(name)
  beforeEach(({ skip }) => skip(service.url === null, 'missing' in service ? service.missing : ''))
  if (service.url === null) return ''
  // Files that run beside each other share a Redis, but no keys of it.
  return name === 'redis'
    ? Object.assign(new URL(service.url), { pathname: process.env.VITEST_POOL_ID }).href
    : service.url
}
