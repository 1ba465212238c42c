import { AccessError } from '@latchkey/graphql'
import type { HttpRequest, IdentityReading } from '@latchkey/http'
import { createResponseHeaders } from '@latchkey/http/internal'
import type { Identity } from '@latchkey/rbac'
import { answerFailure } from '../page-kit/failure-page.ts'
import type { PageEntry, PageKind } from '../page-kit/feature.ts'
import { frameFor } from '../page-kit/html/page.ts'
import { offersAt } from '../page-kit/page-offers.ts'
import type { Page, PageParts } from '../page-kit/page-parts.ts'
import { createAccountSession } from '../service/account-session/create-account-session.ts'
import { createFactorSession } from '../service/account-session/create-factor-session.ts'
import { createDeliverer } from '../service/account-session/deliverer.ts'
import {
  readAttempt,
  readPresentedCredentials,
  withImpersonator,
} from '../service/account-session/presented-credentials.ts'
import type { Service } from '../service/open-service.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { type Column, type RouteHandler, serviceOf } from './passage.ts'

/** The pages for an administrator who acts as an account: the account, and the two ways to leave it. */
const pagesOfImpersonators: ReadonlySet<string> = new Set(['/account', '/sign-out', '/impersonation/end'])

/** Returns how the methods of a page are answered. */
export function pageHandlers([path, kind, , page]: PageEntry): Readonly<Record<string, RouteHandler>> {
  const show = page.show && pageHandler(kind === 'link' ? 'link' : 'page', ofOwner(path, page.show))
  const take = page.take && { ...pageHandler(formColumns[kind], ofOwner(path, page.take)), formBytes: page.formBytes }
  return { ...(show && { GET: show, HEAD: show }), ...(take && { POST: take }) }
}

const formColumns = { account: 'form', provider: 'posted', link: 'linkForm' } as const satisfies Record<
  PageKind,
  Column
>

/** Refuses all other pages to administrators who act as the account. */
function ofOwner(path: string, handle: Handle): Handle {
  if (pagesOfImpersonators.has(path)) return handle
  return (request, parts) => {
    if (parts.identity && parts.identity.impersonator !== null)
      throw new AccessError('FORBIDDEN', { reason: 'impersonated' })
    return handle(request, parts)
  }
}

type Handle = NonNullable<Page['show']>

function pageHandler(column: Column, handle: Handle): RouteHandler {
  return {
    column,
    endpoint: null,
    async respond(passage) {
      const { request, site, reading } = passage
      const response = createResponseHeaders()
      const parts = partsOf(request, { site, service: serviceOf(passage), reading, response })
      const answered = await handle(request, parts)
      return { ...answered, headers: [...answered.headers, ...response.headers()] }
    },
    reject: (error, { request, site }) => answerFailure(error, request, site),
  }
}

interface PageRequest {
  readonly site: Site
  readonly service: Service
  readonly reading: IdentityReading<Identity>
  readonly response: ReturnType<typeof createResponseHeaders>
}

/**
 * Returns the parts of a page. Only a session cookie signs in to pages: scripts with a bearer token use the endpoint.
 */
function partsOf(request: HttpRequest, { site, service, reading, response }: PageRequest): PageParts {
  const { cookies, access, now } = site
  const { forgery, sessions, makeIdentity } = service
  const accounts = service.accounts.forRequest(request)
  let identity = reading.credential === 'cookie' ? reading.identity : null
  const authorize: PageParts['authorize'] = (rule) => access.authorize(identity, rule)
  const attempt = () => withImpersonator(readAttempt(request, site, 'page'), identity)
  const base = {
    identity,
    authorize,
    response,
    establish: (signedIn: Identity | null) => {
      identity = signedIn
    },
  }
  const read = () => ({ ...readPresentedCredentials(request, { ...site, reading }), attempt: attempt() })
  const deliverer = createDeliverer({ response, cookies, forgery, now })
  const endClientToken = async () => false
  const own = { base, request, read, cookies, deliverer, endClientToken, now }
  const of = { ...own, accounts, sessions, makeIdentity, forgery }
  return {
    frame: frameFor(request, site),
    cookies,
    accounts,
    identity,
    accountSession: createAccountSession(() => of),
    factorSession: createFactorSession(() => of),
    authorization: service.authorization,
    consents: service.consents,
    providers: site.providers,
    postedLimit: site.postedLimit,
    offers: offersAt(request, site, identity),
    response,
    attempt,
    authorize,
  }
}
