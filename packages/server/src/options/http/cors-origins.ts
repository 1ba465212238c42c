import { type Cors, createCors } from '@latchkey/http'
import { createCorsFinder } from '@latchkey/http/internal'
import { namedByPath } from '../named-by-path.ts'
import type { HttpOptions } from './http-options.ts'

export interface CorsOriginsOptions
  extends Pick<HttpOptions, 'corsOrigins' | 'corsAllowedHeaders' | 'corsExposedHeaders' | 'corsMaxAgeSeconds'> {
  readonly environment: 'development' | 'production'
}

/** Lets pages of other origins read responses. */
export interface ServiceCors {
  /** For the pages of `http.corsOrigins`. */
  readonly listed: Cors
  /** For a list that changes. */
  readonly find: ReturnType<typeof createCorsFinder>
}

/**
 * Creates what lets the pages of `http.corsOrigins`, and those of clients, read responses.
 *
 * @throws TypeError when an origin is none, or is `http:` in production, where anyone on the way could write its pages, or when
 * a header cannot be named.
 */
export function createServiceCors({ corsOrigins = [], environment, ...headers }: CorsOriginsOptions): ServiceCors {
  const { corsAllowedHeaders, corsExposedHeaders, corsMaxAgeSeconds } = headers
  const options = {
    ...(corsAllowedHeaders !== undefined && { allowedHeaders: corsAllowedHeaders }),
    ...(corsExposedHeaders !== undefined && { exposedHeaders: corsExposedHeaders }),
    ...(corsMaxAgeSeconds !== undefined && { maxAgeSeconds: corsMaxAgeSeconds }),
  }
  const find = namedByPath(headerPaths, () => createCorsFinder(options))
  const listed = createOrExplain({ ...options, origins: corsOrigins })
  if (environment === 'production' && corsOrigins.some((origin) => !origin.startsWith('https:'))) {
    throw new TypeError('"http.corsOrigins": each must be https: in production')
  }
  return { listed, find }
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
    const message = '"http.corsOrigins": each is an origin as browsers write it, like https://example.com'
    throw new TypeError(message, { cause })
  }
}
