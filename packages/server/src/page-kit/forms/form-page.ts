import type { HttpResponse } from '@latchkey/http'
import type { WaitingAuthorization } from '../../options/oauth/authorization-server.ts'
import { formTargetsOf } from '../asking-client.ts'
import { createPage, type PageContent, type PageFrame } from '../html/page.ts'

const statuses = { incomplete: 400, wrong: 401, passkey: 401 } as const

/** Why a form is shown once more: a field was empty, or what was shown proves nothing. */
export type RefusedProof = keyof typeof statuses

export interface FormPage extends Pick<PageContent, 'title' | 'body'> {
  /** Omitted: the form is shown for the first time. */
  readonly refused?: RefusedProof | undefined
  /** The request of a client that the form is for; `null`: that of none. */
  readonly asking: WaitingAuthorization | null
  readonly script?: string | undefined
}

/** Returns a page whose form asks for a proof, with the status of why it does so once more. The form may lead to the client. */
export function formPage(frame: PageFrame, { refused, asking, script, ...content }: FormPage): HttpResponse {
  return createPage(frame, {
    ...content,
    status: refused ? statuses[refused] : 200,
    formTargets: formTargetsOf(asking),
    ...(script !== undefined && { script }),
  })
}
