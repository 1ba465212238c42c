import { type Cors, createCors } from '@latchkey/http'

export interface CorsOriginsOptions {
  readonly corsOrigins?: readonly string[]
  readonly environment: 'development' | 'production'
}

/**
 * Creates what lets the pages of `http.corsOrigins` read responses.
 *
 * @throws TypeError when one of them is no origin, or is `http:` in production, where anyone on the way could write its
 * pages.
 */
export function createServiceCors({ corsOrigins = [], environment }: CorsOriginsOptions): Cors {
  const cors = createOrExplain(corsOrigins)
  if (environment === 'production' && corsOrigins.some((origin) => !origin.startsWith('https:'))) {
    throw new TypeError('"http.corsOrigins": each must be https: in production')
  }
  return cors
}

function createOrExplain(origins: readonly string[]): Cors {
  try {
    if (!Array.isArray(origins)) throw new TypeError('they are no list')
    return createCors({ origins })
  } catch (cause) {
    const message = '"http.corsOrigins": each is an origin as browsers write it, like https://example.com'
    throw new TypeError(message, { cause })
  }
}
