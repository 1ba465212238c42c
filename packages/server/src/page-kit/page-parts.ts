import type { Accounts, Attempt } from '@latchkey/accounts'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { ResponseHeaders } from '@latchkey/http/internal'
import type { RateLimit } from '@latchkey/rate-limit'
import type { AnyPolicy, Identity, RuleOf } from '@latchkey/rbac'
import type { ServiceAuthorizationServer } from '../options/oauth/authorization-server.ts'
import type { ServiceCookies } from '../options/sessions/service-cookies.ts'
import type { ProviderSettings } from '../options/sign-in/provider-settings.ts'
import type { AccountSession } from '../service/account-session/account-session.ts'
import type { FactorSession } from '../service/account-session/factor-session.ts'
import type { ClientConsents } from '../service/clients/client-consents.ts'
import type { PageFrame } from './html/page.ts'
import type { PageOffers } from './page-offers.ts'

/** The members of an authorization server that pages use. */
export type PageAuthorization = Pick<
  ServiceAuthorizationServer,
  'readRequest' | 'decide' | 'readDevice' | 'decideDevice'
>

/** The parts that a page uses to answer a request. */
export interface PageParts {
  readonly frame: PageFrame
  readonly cookies: ServiceCookies
  readonly accounts: Accounts
  /** The identity of the session cookie; `null` without one, and on pages of links. */
  readonly identity: Identity | null
  /** The use cases that read and write cookies. Their cookies are sent with every response of the page. */
  readonly accountSession: AccountSession
  /** The use cases of second factors. */
  readonly factorSession: FactorSession
  /** The requests of clients; `null` without clients. */
  readonly authorization: PageAuthorization | null
  /** The grants of users to clients; `null` without clients. */
  readonly consents: ClientConsents | null
  /** The providers that users sign in with here; `null`: none. */
  readonly providers: ProviderSettings | null
  /** The limit of kept posts from providers, per address. */
  readonly postedLimit: () => RateLimit
  /** The offers of the service, and whether passkeys work at the host of the request. */
  readonly offers: PageOffers
  /** Headers that are sent with every response of the page. */
  readonly response: ResponseHeaders
  /** Returns the origin of the request. */
  attempt(): Attempt
  /**
   * Returns the identity if it satisfies a rule, as a field of the schema with that rule would.
   * @throws AccessError `UNAUTHENTICATED`, `FORBIDDEN` or `STEP_UP_REQUIRED`.
   */
  authorize(rule: Exclude<RuleOf<AnyPolicy>, 'public'>): Identity
}

/** A page, or the target of a form. A missing method is answered 405. */
export interface Page {
  /** Answers `GET` and `HEAD`, without changes. */
  show?(request: HttpRequest, parts: PageParts): Promise<HttpResponse> | HttpResponse
  /**
   * The size of its form.
   * @default what fields that people fill in need
   */
  readonly formBytes?: number
  /** Handles a form. */
  take?(request: HttpRequest, parts: PageParts): Promise<HttpResponse> | HttpResponse
}
