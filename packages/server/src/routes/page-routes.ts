import { AccessError } from '@latchkey/graphql'
import { createReplyHeaders, type HttpReply, type HttpRequest, type IdentityReading } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import { createAccountSession } from '../account-session/account-session.ts'
import { createDeliverer } from '../account-session/deliverer.ts'
import { createFactorSession } from '../account-session/factor-session.ts'
import { readAttempt, readPresentedCredentials, withImpersonator } from '../account-session/presented-credentials.ts'
import { answerFailure } from '../pages/failure-page.ts'
import { frameFor } from '../pages/page.ts'
import { offeredParts, offersAt } from '../pages/page-offers.ts'
import type { Page, PageParts } from '../pages/page-parts.ts'
import type { Service } from '../service/open-service.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { type PageEntry, type PageKind, pagesOfImpersonators } from './page-table.ts'
import { type Passage, pass } from './stages.ts'

type PageRoute = (request: HttpRequest, site: Site) => Promise<HttpReply>

/** Returns the methods that a page answers. */
export function methodsOf([path, kind, , page]: PageEntry): Readonly<Record<string, PageRoute>> {
  const show = page.show && answerBy(ofOwner(path, page.show), (passage) => showing(kind, passage))
  const take =
    page.take &&
    answerBy(ofOwner(path, page.take), (passage) => taking(kind, { ...passage, formBytes: page.formBytes }))
  return { ...(show && { GET: show, HEAD: show }), ...(take && { POST: take }) }
}

/** What else there is of an account is its owner's alone. */
function ofOwner(path: string, handle: Handle): Handle {
  if (pagesOfImpersonators.has(path)) return handle
  return (request, parts) => {
    if (parts.identity && parts.identity.impersonator !== null)
      throw new AccessError('FORBIDDEN', { reason: 'impersonated' })
    return handle(request, parts)
  }
}

type Handle = NonNullable<Page['show']>

/** Opening a link changes nothing, because mail programs do that too, and it comes from their pages. */
async function showing(kind: PageKind, passage: Parts): Promise<Pick<Passage, 'reading'>> {
  return kind === 'link' ? { reading: await readImpersonator(passage) } : pass('page', passage)
}

async function taking(kind: PageKind, passage: Parameters<typeof pass>[1]): Promise<Pick<Passage, 'reading'>> {
  if (kind === 'provider') return pass('posted', passage)
  if (kind === 'account') return pass('form', passage)
  await pass('link', passage)
  return { reading: await readImpersonator(passage) }
}

/** Pages of links are for any user; but an administrator who acts as an account in this browser is seen there, too. */
async function readImpersonator({ request, site, service }: Parts): Promise<Passage['reading']> {
  const isPossible = offeredParts(site).impersonation && site.cookies.session.isSent(request.header('cookie'))
  const reading = isPossible ? await service.reidentify.read(request) : null
  const isActing = reading !== null && reading.identity !== null && reading.identity.impersonator !== null
  return isActing ? reading : { credential: null, identity: null }
}

type Parts = Pick<Passage, 'request' | 'site' | 'service'>

function answerBy(handle: Handle, judge: (parts: Parts) => Promise<Pick<Passage, 'reading'>>): PageRoute {
  return async (request, site) => {
    try {
      const service = await site.open()
      const { reading } = await judge({ request, site, service })
      const reply = createReplyHeaders()
      const answered = await handle(request, partsOf(request, { site, service, reading, reply }))
      return { ...answered, headers: [...answered.headers, ...reply.headers()] }
    } catch (error) {
      return answerFailure(error, request, site)
    }
  }
}

interface PageRequest {
  readonly site: Site
  readonly service: Service
  readonly reading: IdentityReading<Identity>
  readonly reply: ReturnType<typeof createReplyHeaders>
}

/** A page is for who is signed in by a cookie: a bearer token is shown by scripts, which ask the endpoint. */
function partsOf(request: HttpRequest, { site, service, reading, reply }: PageRequest): PageParts {
  const { cookies, access, now } = site
  const { forgery, sessions, makeIdentity } = service
  const accounts = service.accounts.forRequest(request)
  let identity = reading.credential === 'cookie' ? reading.identity : null
  const authorize: PageParts['authorize'] = (rule) => access.authorize(identity, rule)
  const attempt = () => withImpersonator(readAttempt(request, site, 'page'), identity)
  const base = {
    identity,
    authorize,
    reply,
    establish: (signedIn: Identity | null) => {
      identity = signedIn
    },
  }
  const read = () => ({ ...readPresentedCredentials(request, { ...site, reading }), attempt: attempt() })
  const deliverer = createDeliverer({ reply, cookies, forgery, now })
  const of = { base, request, read, accounts, sessions, makeIdentity, cookies, forgery, deliverer }
  return {
    frame: frameFor(request, site),
    cookies,
    accounts,
    identity,
    accountSession: createAccountSession({ ...of, endClientToken: async () => false }),
    factorSession: createFactorSession(of),
    authorization: service.authorization,
    consents: service.consents,
    providers: site.providers,
    postedLimit: site.postedLimit,
    offers: offersAt(request, site),
    reply,
    attempt,
    authorize,
  }
}
