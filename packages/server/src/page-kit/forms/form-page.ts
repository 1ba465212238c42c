import type { HttpResponse } from '@latchkey/http'
import type { WaitingAuthorization } from '../../options/oauth/authorization-server.ts'
import { formTargetsOf } from '../asking-client.ts'
import { createPage, type PageContent, type PageFrame } from '../html/page.ts'

const statuses = { incomplete: 400, wrong: 401, passkey: 401 } as const

/** The reason why a form is shown again: an empty field, or a wrong proof. */
export type RefusedProof = keyof typeof statuses

export interface FormPage extends Pick<PageContent, 'title' | 'body'> {
  /** Omitted: the form is shown for the first time. */
  readonly refused?: RefusedProof | undefined
  /** The client's request that the form continues, or `null`. */
  readonly asking: WaitingAuthorization | null
  readonly script?: string | undefined
}

/** Returns a page whose form takes a proof, with the status of its refusal. The form may redirect to the client. */
export function formPage(frame: PageFrame, { refused, asking, script, ...content }: FormPage): HttpResponse {
  return createPage(frame, {
    ...content,
    status: refused ? statuses[refused] : 200,
    formTargets: formTargetsOf(asking),
    ...(script !== undefined && { script }),
  })
}
