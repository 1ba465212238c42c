import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { pathOfRequest, targetOf, unregisteredNotice } from '../../page-kit/asking-client.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { problem } from '../../page-kit/html/field.ts'
import { html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { queryParameter } from '../../page-kit/return-path.ts'
import { otherAccountPath } from '../step-up/further-factor.ts'
import { authorizationOf, decisionForm, describeAccess, readDecision } from './access-question.ts'

/** Asks the user to allow a client its scopes, and redirects to the client with the decision. */
export const consentPage: Page = {
  show(request, parts) {
    return askForConsent(request, parts, queryParameter(request.target, 'handle') ?? '')
  },
  async take(request, parts) {
    const form = await readForm(request)
    const [handle, token] = [form?.get('handle') ?? '', form?.get('token') ?? null]
    const decision = readDecision(form)
    if (!decision) return askForConsent(request, parts, handle, 'undecided')
    const decided = await authorizationOf(parts).decide(request, { handle, token, decision })
    if (decided.ok) return redirect(parts.frame, decided.location)
    if (decided.reason === 'signed-out') return redirect(parts.frame, pathOfRequest(handle))
    return decided.reason === 'token' ? askForConsent(request, parts, handle, 'changed') : requestOver(parts.frame)
  },
}

/** A form that was made for another session or another request is as good as forged. */
const statuses = { undecided: 400, changed: 403 } as const

async function askForConsent(
  request: HttpRequest,
  parts: PageParts,
  handle: string,
  refused?: keyof typeof statuses,
): Promise<HttpResponse> {
  const { frame, accounts } = parts
  const { texts } = frame
  const waiting = await authorizationOf(parts).readRequest(request, handle)
  if (!waiting) return requestOver(frame)
  const { subject, token, needs, formTarget } = waiting
  const account = subject === null ? null : await accounts.get(subject)
  // The path of the request requires the sign-in.
  if (!account || token === null || needs === 'sign-in') return redirect(frame, pathOfRequest(handle))
  const body = html`${problem(refused ? texts[`consent.${refused}`] : null)}${describeAccess(frame, waiting, account)}${unregisteredNotice(texts, waiting)}<p>${targetOf(texts, waiting)}</p>
${decisionForm(frame, { action: '/consent', fields: { handle, token } })}<p><a href="${otherAccountPath(pathOfRequest(handle))}">${texts['consent.other-account']}</a></p>`
  return createPage(frame, {
    status: refused ? statuses[refused] : 200,
    title: texts['consent.title'],
    body,
    formTargets: [formTarget],
  })
}

/** Returns the page for a request that has expired, or belongs to another browser. */
function requestOver(frame: PageFrame): HttpResponse {
  const { texts } = frame
  return createPage(frame, {
    status: 400,
    title: texts['request-over.title'],
    body: html`<p>${texts['request-over.text']}</p>`,
  })
}
