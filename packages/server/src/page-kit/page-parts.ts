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

/** What the pages ask of an authorization server. */
export type PageAuthorization = Pick<
  ServiceAuthorizationServer,
  'readRequest' | 'decide' | 'readDevice' | 'decideDevice'
>

/** What a page needs to answer one request. */
export interface PageParts {
  readonly frame: PageFrame
  readonly cookies: ServiceCookies
  readonly accounts: Accounts
  /** Who is signed in by the session cookie, or `null`, as on pages of links. */
  readonly identity: Identity | null
  /** The use cases that read and write cookies; those are sent with whatever the page answers. */
  readonly accountSession: AccountSession
  /** The same for second factors. */
  readonly factorSession: FactorSession
  /** What clients ask users for; `null`: the service has no clients. */
  readonly authorization: PageAuthorization | null
  /** What users have allowed clients; `null`: as above. */
  readonly consents: ClientConsents | null
  /** The providers that users sign in with here; `null`: none. */
  readonly providers: ProviderSettings | null
  /** What providers post is kept of an address this often. */
  readonly postedLimit: () => RateLimit
  /** What the service offers, and whether passkeys work at the host of the request. */
  readonly offers: PageOffers
  /** Headers that are sent with whatever the page answers. */
  readonly response: ResponseHeaders
  /** Returns where the request comes from. */
  attempt(): Attempt
  /**
   * Returns the identity if it satisfies a rule, as a field of the schema with that rule would.
   * @throws AccessError `UNAUTHENTICATED`, `FORBIDDEN` or `STEP_UP_REQUIRED`.
   */
  authorize(rule: Exclude<RuleOf<AnyPolicy>, 'public'>): Identity
}

/** A page, or what a form of one is sent to. A method that is missing is answered 405. */
export interface Page {
  /** Answers `GET` and `HEAD`. It changes nothing. */
  show?(request: HttpRequest, parts: PageParts): Promise<HttpResponse> | HttpResponse
  /**
   * The size of its form.
   * @default what fields that people fill in need
   */
  readonly formBytes?: number
  /** Handles a form. */
  take?(request: HttpRequest, parts: PageParts): Promise<HttpResponse> | HttpResponse
}
