import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { FeatureSchema } from '../schema/schema-offer.ts'
import type { OpenableService } from '../service/openable-service.ts'
import type { OfferedParts } from './page-offers.ts'
import type { Page } from './page-parts.ts'

/** The schemas, pages and routes of a feature. */
export interface Feature {
  readonly schemas?: readonly FeatureSchema[]
  readonly pages?: readonly PageEntry[]
  /** Returns the routes for documents that are the same for all requests. */
  readonly routes?: (site: OpenableService) => readonly PublicRoute[]
}

/**
 * How pages use the session cookie. Pages of links ignore it, because any user opens them, for example from a mail.
 * They are closed while an administrator acts as an account. Posts to pages of a provider come from its site, or
 * without a browser.
 */
export type PageKind = 'link' | 'account' | 'provider'

/**
 * A page by its path, with `:name` for the name of a provider. The page exists only if the service has the part that it
 * needs.
 */
export type PageEntry = readonly [path: string, kind: PageKind, needs: keyof OfferedParts | null, page: Page]

export type PublicRoute = readonly [path: string, answer: PublicAnswer]

export type PublicAnswer = (request: HttpRequest, site: OpenableService) => Promise<HttpResponse> | HttpResponse
