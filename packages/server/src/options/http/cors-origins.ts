import { type Cors, createCors } from '@latchkey/http'
import { createCorsFinder } from '@latchkey/http/internal'
import { namedByPath } from '../named-by-path.ts'
import type { HttpOptions } from './http-options.ts'

export interface CorsOriginsOptions
  extends Pick<
    HttpOptions,
    'allowedOrigins' | 'corsOrigins' | 'corsAllowedHeaders' | 'corsExposedHeaders' | 'corsMaxAgeSeconds'
  > {
  readonly environment: 'development' | 'production'
}

/** Lets pages of other origins read responses. */
export interface ServiceCors {
  /** For the pages of `http.corsOrigins`. */
  readonly listed: Cors
  /** For a list that changes. */
  readonly find: ReturnType<typeof createCorsFinder>
  /** For the pages of `http.allowedOrigins`, with cookies; `null` without such pages. */
  readonly own: Cors | null
}

/**
 * Creates the CORS rules for the pages of `http.corsOrigins` and of clients.
 *
 * @throws TypeError if an origin is malformed, or is `http:` in production, where its pages can be changed in transit,
 * or if a header name is refused.
 */
export function createServiceCors(given: CorsOriginsOptions): ServiceCors {
  const { allowedOrigins = [], corsOrigins = [], environment, ...headers } = given
  const { corsAllowedHeaders, corsExposedHeaders, corsMaxAgeSeconds } = headers
  const options = {
    ...(corsAllowedHeaders !== undefined && { allowedHeaders: corsAllowedHeaders }),
    ...(corsExposedHeaders !== undefined && { exposedHeaders: corsExposedHeaders }),
    ...(corsMaxAgeSeconds !== undefined && { maxAgeSeconds: corsMaxAgeSeconds }),
  }
  const find = namedByPath(headerPaths, () => createCorsFinder(options))
  const listed = createOrExplain({ ...options, origins: corsOrigins })
  if (environment === 'production' && corsOrigins.some((origin) => origin.startsWith('http:'))) {
    throw new TypeError('"http.corsOrigins": each must be https: in production')
  }
  const own = allowedOrigins.length > 0 ? createCors({ ...options, origins: allowedOrigins, credentials: true }) : null
  return { listed, find, own }
}

const headerPaths = {
  allowedHeaders: 'http.corsAllowedHeaders',
  exposedHeaders: 'http.corsExposedHeaders',
  maxAgeSeconds: 'http.corsMaxAgeSeconds',
}

function createOrExplain(options: Parameters<typeof createCors>[0]): Cors {
  try {
    if (!Array.isArray(options.origins)) throw new TypeError('they are no list')
    return createCors(options)
  } catch (cause) {
    const message =
      '"http.corsOrigins": each is an origin as browsers write it, like https://example.com or capacitor://localhost'
    throw new TypeError(message, { cause })
  }
}
