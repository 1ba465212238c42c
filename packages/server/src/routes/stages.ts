import { AccessError, judgeSender } from '@latchkey/graphql'
import type { HttpRequest, IdentityReading } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import { receiveForm } from '../pages/read-form.ts'
import type { Service } from '../service/open-service.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'

const x = true
const _ = false

/**
 * The way of every request that may change something or tell secrets: it passes the stages of its column from top to
 * bottom, then its route answers. A stage ends the way by throwing. Limits on addresses belong between sender and
 * identity, whose look-up they spare. Before all of it `refuseHost` judges the host of every request but those of the
 * probes, which load balancers ask by address, and `applyCors` answers the preflights of other origins.
 */
// biome-ignore format: it is read by its columns
const stages: readonly (readonly [stage: Stage, graphql: boolean, link: boolean, form: boolean, page: boolean, posted: boolean])[] = [
  //                     graphql  link  form  page  posted
  [judgeOrigin,          x,       x,    x,    _,    _   ],   // who sent it? A forged request with a cookie ends here
  [refuseForgedForm,     _,       x,    x,    _,    _   ],   // and a forged form without one
  [awaitForm,            _,       _,    x,    _,    x   ],   // who is signed in when all of it has arrived?
  [establishIdentity,    x,       _,    x,    x,    _   ],   // who is it?
]
/**
 * `link`: the form behind the link of a mail, of any user; `page`: opened from anywhere, it changes nothing; `posted`: what a provider
 * posts from its own site or itself, which opens nothing by cookies and is judged by what it says.
 */
const columns = { graphql: 1, link: 2, form: 3, page: 4, posted: 5 } as const

/** What is known of a request on its way. */
export interface Passage {
  readonly request: HttpRequest
  readonly site: Site
  readonly service: Service
  /** The size of the form. Omitted: that of most. */
  readonly formBytes?: number | undefined
  forged: boolean
  reading: IdentityReading<Identity>
}
type Stage = (passage: Passage) => Promise<void> | void

/** Passes a request through the stages of its column. */
export async function pass(
  column: keyof typeof columns,
  { request, site, service, formBytes }: Pick<Passage, 'request' | 'site' | 'service' | 'formBytes'>,
): Promise<Passage> {
  const reading = { credential: null, identity: null }
  const passage: Passage = { request, site, service, formBytes, forged: false, reading }
  for (const row of stages) {
    const done = row[columns[column]] ? row[0](passage) : undefined
    // A turn of the event loop costs more than most stages.
    if (done) await done
  }
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

/** A sender may take half a minute for it, in which the session may end. */
function awaitForm({ request, formBytes }: Passage): Promise<void> {
  return receiveForm(request, formBytes)
}

async function establishIdentity(passage: Passage): Promise<void> {
  passage.reading = await passage.service.identify.read(passage.request)
}
