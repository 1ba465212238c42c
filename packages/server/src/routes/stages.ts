import { AccessError, type GraphqlHandler, judgeSender } from '@latchkey/graphql'
import { createReplyHeaders, type HttpReply, type HttpRequest, type IdentityReading } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import { accountPages, type PageParts } from '../pages/account-pages.ts'
import { answerDevelopmentPage } from '../pages/development-pages.ts'
import { answerFailure } from '../pages/failure-page.ts'
import type { Service } from '../service/open-service.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { listedPath } from '../settings/endpoint-path.ts'
import { answerShared } from './cors-stage.ts'
import { refuseHost } from './host-stage.ts'
import { answerJwks } from './jwks.ts'
import { nameReply } from './name-reply.ts'
import { plainReply } from './plain-reply.ts'
import { answerHealth, answerReadiness } from './probes.ts'

const x = true
const _ = false

/**
 * The way of every request that may change something or tell secrets: it passes the stages of its column from top to
 * bottom, then its route answers. A stage ends the way by throwing. Limits on addresses belong between sender and
 * identity, whose look-up they spare. Before all of it `refuseHost` judges the host of every request but those of the
 * probes, which load balancers ask by address, and `answerShared` answers the preflights of other origins.
 */
// biome-ignore format: it is read by its columns
const stages: readonly (readonly [stage: Stage, graphql: boolean, form: boolean])[] = [
  //                     graphql  form
  [judgeOrigin,          x,       x   ],   // who sent it? A forged request with a cookie ends here
  [refuseForgedForm,     _,       x   ],   // and a forged form without one
  [establishIdentity,    x,       _   ],   // who is it?
]
const columns = { graphql: 1, form: 2 } as const

// `/graphql` stands for the option `path`.
// biome-ignore format: one line each
const routes: ReadonlyMap<string, ReadonlyMap<string, Route>> = new Map([
  ['/graphql', routeOf({ '*': answerWith(({ graphql }) => graphql) })],
  ['/graphql/stream', routeOf({ '*': answerWith(({ streams }) => streams.events) })],
  ['/verify',  routeOf({ GET: showPage('verify'), HEAD: showPage('verify'), POST: takeForm('verify') })],
  ['/reset',   routeOf({ GET: showPage('reset'),  HEAD: showPage('reset'),  POST: takeForm('reset') })],
  ['/jwks',    routeOf({ GET: answerJwks, HEAD: answerJwks })],
  ['/healthz', routeOf({ GET: answerHealth, HEAD: answerHealth })],
  ['/readyz',  routeOf({ GET: answerReadiness, HEAD: answerReadiness })],
])

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** What is known of a request on its way. */
interface Passage {
  readonly request: HttpRequest
  readonly site: Site
  readonly service: Service
  forged: boolean
  reading: IdentityReading<Identity>
}
type Stage = (passage: Passage) => Promise<void> | void
type Route = (request: HttpRequest, site: Site) => Promise<HttpReply> | HttpReply

/** Answers one request, with its id. */
export async function answer(request: HttpRequest, site: Site): Promise<HttpReply> {
  const path = listedPath(request.target.split('?', 1)[0] ?? '', site.path) ?? ''
  const finish = site.measuring?.start(request)
  const reply = await answerHost(path, request, site)
  const requestId = site.requestIds.of(request)
  const route = routes.has(path) ? path : null
  finish?.({ route, status: reply.status, requestId, operation: path === '/graphql/stream' ? 'subscription' : null })
  return nameReply(reply, requestId)
}

async function answerHost(path: string, request: HttpRequest, site: Site): Promise<HttpReply> {
  const refusal = probes.has(path) ? null : refuseHost(request, site)
  if (refusal) return refusal
  return answerShared(path, { request, site }, () => answerAt(path, request, site))
}

async function answerAt(path: string, request: HttpRequest, site: Site): Promise<HttpReply> {
  const methods = routes.get(path)
  if (!methods) return (await answerDevelopmentPage(request, site)) ?? nothingHere(site)
  const route = methods.get(request.method) ?? methods.get('*')
  if (route) return route(request, site)
  const allow = ['Allow', [...methods.keys()].join(', ')] as const
  return plainReply(site, { status: 405, text: 'This method is not allowed here.', headers: [allow] })
}

function nothingHere(site: Site): HttpReply {
  return plainReply(site, { status: 404, text: 'There is nothing here.' })
}

async function pass(
  column: keyof typeof columns,
  { request, site, service }: Pick<Passage, 'request' | 'site' | 'service'>,
): Promise<Passage> {
  const reading = { credential: null, identity: null }
  const passage: Passage = { request, site, service, forged: false, reading }
  for (const row of stages) if (row[columns[column]]) await row[0](passage)
  return passage
}

/** Without a cookie a forged operation can only harm by a credential field: the plan refuses those. */
function judgeOrigin(passage: Passage): void {
  const { session, refresh } = passage.site.cookies
  const { forgery } = passage.service
  passage.forged = judgeSender(passage.request, { forgery, cookies: [session, refresh] }).forged
}

function refuseForgedForm({ forged }: Passage): void {
  if (forged) throw new AccessError('CSRF_REJECTED')
}

async function establishIdentity(passage: Passage): Promise<void> {
  passage.reading = await passage.service.identify.read(passage.request)
}

/** Operations and streams go the same way; they differ in what is answered at its end. */
function answerWith(find: (service: Service) => Pick<GraphqlHandler, 'answer'>): Route {
  return async (request, site) => {
    let service: Service
    try {
      service = await site.open()
    } catch (error) {
      return site.unopened.answer(request, () => Promise.reject(error))
    }
    return find(service).answer(request, async () => {
      const { reading, forged } = await pass('graphql', { request, site, service })
      return { reading, forged, reply: createReplyHeaders() }
    })
  }
}

/** Opening a link changes nothing, because mail programs do that too, and it comes from their pages. */
function showPage(name: keyof typeof accountPages): Route {
  return async (request, site) => {
    try {
      const { accounts } = await site.open()
      return await accountPages[name].show(request, partsOf(site, accounts))
    } catch (error) {
      return answerFailure(error, request, site)
    }
  }
}

function takeForm(name: keyof typeof accountPages): Route {
  return async (request, site) => {
    try {
      const service = await site.open()
      await pass('form', { request, site, service })
      return await accountPages[name].take(request, partsOf(site, service.accounts.forRequest(request)))
    } catch (error) {
      return answerFailure(error, request, site)
    }
  }
}

function partsOf({ security, cookies, addresses, requestIds }: Site, accounts: Service['accounts']): PageParts {
  return { security, cookies, addresses, requestIds, accounts }
}

function routeOf(methods: Readonly<Record<string, Route>>): ReadonlyMap<string, Route> {
  return new Map(Object.entries(methods))
}
