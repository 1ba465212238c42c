import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { FeatureSchema } from '../schema/schema-offer.ts'
import type { OpenableService } from '../service/openable-service.ts'
import type { OfferedParts } from './page-offers.ts'
import type { Page } from './page-parts.ts'

/** What a feature adds to a service. */
export interface Feature {
  readonly schemas?: readonly FeatureSchema[]
  readonly pages?: readonly PageEntry[]
  /** Returns what is read at paths of its own, the same for all. */
  readonly routes?: (site: OpenableService) => readonly PublicRoute[]
}

/**
 * Which pages look at the session cookie: those of links do not, because any user opens them, perhaps from a mail. They are closed
 * while an administrator acts as an account. What is posted to those of a provider comes from its site, or from no browser.
 */
export type PageKind = 'link' | 'account' | 'provider'

/** A page by its path, in which `:name` stands for the name of a provider. Without the part that it needs there is none. */
export type PageEntry = readonly [path: string, kind: PageKind, needs: keyof OfferedParts | null, page: Page]

export type PublicRoute = readonly [path: string, answer: PublicAnswer]

export type PublicAnswer = (request: HttpRequest, site: OpenableService) => Promise<HttpResponse> | HttpResponse
