import { readStatusProfile, type StatusProfile } from './status-profile.ts'

/** How an endpoint answers, whatever its schema is. */
export interface EndpointOptions {
  /** The most bytes that a body may have. Default 100000. */
  readonly bodyLimitBytes?: number
  /** The most characters that path and query may have. Default 8192. */
  readonly urlLimitBytes?: number
  /**
   * `compatible`, the default, answers a client that accepts only `application/json` 200 for a broken document, as it
   * was always done. `draft-2026` follows the GraphQL-over-HTTP draft of 2026-08-06: 422 for what is well-formed and
   * cannot be executed, 294 for `data` beside `errors`. Access is refused with the same statuses in both.
   */
  readonly statusProfile?: StatusProfile
}

/** The options with their defaults. */
export interface Endpoint {
  readonly bodyLimitBytes: number
  readonly urlLimitBytes: number
  readonly statusProfile: StatusProfile
}

/** @throws TypeError naming the option that cannot be used. */
export function readEndpointOptions(options: EndpointOptions): Endpoint {
  const { bodyLimitBytes = 100_000, urlLimitBytes = 8_192 } = options
  for (const [name, limit] of Object.entries({ bodyLimitBytes, urlLimitBytes })) {
    if (!Number.isInteger(limit) || limit < 1) throw new TypeError(`"${name}" must be a whole number from 1`)
  }
  return { bodyLimitBytes, urlLimitBytes, statusProfile: readStatusProfile(options.statusProfile) }
}
