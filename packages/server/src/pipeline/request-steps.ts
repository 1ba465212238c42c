import { AccessError } from '@latchkey/graphql'
import { checkOrigin as judgeOrigin, reidentify as reidentifyLate } from '@latchkey/graphql/internal'
import type { HttpResponse, IdentityReader } from '@latchkey/http'
import type { QueueVerdict } from '@latchkey/http/fair-queue'
import type { Identity } from '@latchkey/rbac'
import { receiveForm } from '../page-kit/forms/read-form.ts'
import { offeredParts } from '../page-kit/page-offers.ts'
import { applyCors } from './apply-cors.ts'
import { rejectHost } from './hosts.ts'
import { type Column, type Passage, serviceOf } from './passage.ts'
import { rejectForeignPage, toJsonRpc } from './tool-route.ts'
import { late, rejectTurn } from './turns.ts'

/** A step that continues, or completes the request by a response or an error. */
export type Step = (passage: Passage) => Promise<HttpResponse | undefined> | HttpResponse | undefined

const x = true
const _ = false

/**
 * The steps of every request, from top to bottom; the columns select them. Before them, `startRequest` finds the route;
 * after any response, `finishResponse` follows. Without the option `http.fairQueue`, `takeTurn` is omitted.
 *
 * `tools`: `/mcp`. `page`: opened from any site, without changes. `link`: the page of a mail's link, which mail
 * programs open too; `linkForm`: its form, for any user. `posted`: a post of a provider or its page, verified by its
 * content, not by cookies. `public`: the same for all. `probe`: requests of load balancers, by IP address.
 */
// biome-ignore format: it is read by its columns
const rows: readonly (readonly [step: Step, ...marks: boolean[]])[] = [
  //                      graphql stream tools page form link linkForm posted oauth public probe
  [shedLoad,              x,      x,     x,    x,   x,   x,   x,       x,     x,    x,     _],  // 503 while the event loop is late
  [takeTurn,              x,      x,     x,    x,   x,   x,   x,       x,     x,    x,     x],  // 429 if the address has taken too much
  [checkHost,             x,      x,     x,    x,   x,   x,   x,       x,     x,    x,     _],  // 421 for the hosts of others
  [allowOrigins,          x,      x,     x,    _,   _,   _,   _,       _,     x,    x,     _],  // preflights; who may read the response
  [rejectForeignPage,     _,      _,     x,    _,   _,   _,   _,       _,     _,    _,     _],  // 403 at tools for a page of strangers
  [openService,           x,      x,     x,    x,   x,   x,   x,       x,     x,    _,     _],  // secrets and stores, once
  [checkHead,             x,      x,     _,    _,   _,   _,   _,       _,     _,    _,     _],  // method, URL, media types
  [checkOrigin,           x,      x,     _,    _,   x,   _,   x,       _,     _,    _,     _],  // 403 for a forged request with a cookie
  [rejectForgedForm,      _,      _,     _,    _,   x,   _,   x,       _,     _,    _,     _],  // and for a forged form without one
  [readForm,              _,      _,     _,    _,   x,   _,   _,       x,     _,    _,     _],  // until all of it has arrived
  [identify,              x,      _,     _,    x,   x,   _,   _,       _,     _,    _,     _],  // who sent it?
  [identifyStream,        _,      x,     _,    _,   _,   _,   _,       _,     _,    _,     _],  // who, and until when?
  [identifyAgent,         _,      _,     x,    _,   _,   _,   _,       _,     _,    _,     _],  // by a token of its client, or an API key
  [identifyImpersonator,  _,      _,     _,    _,   _,   x,   x,       _,     _,    _,     _],  // an administrator who acts as an account?
  [limitRate,             x,      _,     _,    _,   _,   _,   _,       _,     _,    _,     _],  // 429; a stream is counted when it opens
  [readBody,              x,      x,     _,    _,   _,   _,   _,       _,     _,    _,     _],  // JSON, no longer than its limit
  [reidentify,            x,      _,     _,    _,   _,   _,   _,       _,     _,    _,     _],  // after a late body
  [respond,               x,      x,     x,    x,   x,   x,   x,       x,     x,    x,     x],
]
const columns = [
  ...([
    'graphql',
    'stream',
    'tools',
    'page',
    'form',
    'link',
    'linkForm',
    'posted',
    'oauth',
    'public',
    'probe',
  ] as const),
] satisfies Column[]

/** Returns the steps of each column. */
export function planSteps({ hasQueue }: { readonly hasQueue: boolean }): Readonly<Record<Column, readonly Step[]>> {
  const used = hasQueue ? rows : rows.filter(([step]) => step !== takeTurn)
  const entries = columns.map((column, index) => [
    column,
    used.flatMap(([step, ...marks]) => (marks[index] ? [step] : [])),
  ])
  return Object.fromEntries(entries)
}

/** Skipped on platforms that cancel the work of a request with its response, because they may cancel the timer too. */
function shedLoad(passage: Passage): ReturnType<Step> {
  if (passage.request.waitUntil || !passage.site.loop.isLate()) return undefined
  return rejectForTurn(passage, late)
}

function takeTurn(passage: Passage): ReturnType<Step> {
  const { request, site, handler } = passage
  const turn = handler.column === 'probe' ? site.fairQueue?.enterProbe(request) : site.fairQueue?.enter(request)
  return turn instanceof Promise ? turn.then((given) => beginTurn(passage, given)) : turn && beginTurn(passage, turn)
}

function beginTurn(passage: Passage, turn: QueueVerdict): ReturnType<Step> {
  if (!turn.ok) return rejectForTurn(passage, turn)
  passage.request = turn.request
  passage.endTurn = turn.end
  return undefined
}

/** Pages of other origins may read when to try again. */
function rejectForTurn(passage: Passage, turn: Extract<QueueVerdict, { readonly ok: false }>): ReturnType<Step> {
  const allowed = allowOrigins(passage)
  const reject = (preflight: HttpResponse | undefined): HttpResponse =>
    preflight ?? rejectTurn(passage.listed, turn, passage)
  return allowed instanceof Promise ? allowed.then(reject) : reject(allowed)
}

function checkHost({ request, site, handler }: Passage): HttpResponse | undefined {
  const response = rejectHost(request, site)
  return response && handler.column === 'tools' ? toJsonRpc(response) : (response ?? undefined)
}

function allowOrigins(passage: Passage): ReturnType<Step> {
  return applyCors(passage)
}

async function openService(passage: Passage): Promise<undefined> {
  passage.service = await passage.site.open()
}

function checkHead(passage: Passage): undefined {
  const endpoint = passage.handler.endpoint?.(serviceOf(passage))
  if (!endpoint) return
  passage.endpoint = endpoint
  passage.exchange = endpoint.start(passage.request)
  endpoint.checkHead(passage.exchange)
}

/** Without a cookie a forged operation can only harm by a credential field: the plan rejects those. */
function checkOrigin(passage: Passage): undefined {
  const { session, refresh } = passage.site.cookies
  const { forgery } = serviceOf(passage)
  passage.forged = judgeOrigin(passage.request, { forgery, cookies: [session, refresh] })
}

function rejectForgedForm({ forged }: Passage): undefined {
  if (forged) throw new AccessError('CSRF_REJECTED')
}

/** A sender may take half a minute for it, in which the session may end. */
async function readForm({ request, handler }: Passage): Promise<undefined> {
  await receiveForm(request, handler.formBytes)
}

function identify(passage: Passage): Promise<undefined> {
  return identifyBy(passage, serviceOf(passage).identify)
}

/** Identifies the credential of a stream, which closes when the credential becomes invalid. */
function identifyStream(passage: Passage): Promise<undefined> {
  return identifyBy(passage, serviceOf(passage).identifyStream)
}

async function identifyAgent(passage: Passage): Promise<undefined> {
  const { tools } = serviceOf(passage)
  if (tools) passage.reading = await tools.identify.read(passage.request)
}

async function identifyBy(passage: Passage, reader: IdentityReader<Identity>): Promise<undefined> {
  const { request, exchange, forged } = passage
  const { reidentify } = serviceOf(passage)
  const reading = await reader.read(request)
  passage.reading = reading
  if (!exchange) return
  const { identity, credential } = reading
  exchange.requestIdentity = {
    identity,
    credential,
    forged,
    headers: [],
    reidentify: () => reidentify.read(request),
  }
}

/** Pages of links are for any user; but an administrator who acts as an account in this browser is seen there, too. */
async function identifyImpersonator(passage: Passage): Promise<undefined> {
  const { request, site } = passage
  if (!offeredParts(site).impersonation || !site.cookies.session.isSent(request)) return
  const reading = await serviceOf(passage).reidentify.read(request)
  if (reading.identity !== null && reading.identity.impersonator !== null) passage.reading = reading
}

function limitRate({ endpoint, exchange }: Passage): Promise<undefined> | undefined {
  return exchange ? endpoint?.limitRate(exchange)?.then(() => undefined) : undefined
}

async function readBody({ endpoint, exchange }: Passage): Promise<undefined> {
  if (exchange) await endpoint?.readBody(exchange)
}

function reidentify({ exchange }: Passage): Promise<undefined> | undefined {
  return exchange?.isBodyLate ? reidentifyLate(exchange).then(() => undefined) : undefined
}

function respond(passage: Passage): Promise<HttpResponse> | HttpResponse {
  return passage.handler.respond(passage)
}
