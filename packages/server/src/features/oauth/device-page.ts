import { AccessError } from '@latchkey/graphql'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { readTypedCode } from '@latchkey/store/internal'
import type { DeviceVerdict } from '../../options/oauth/authorization-server.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { fill, html } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { signedIn } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { queryParameter, withReturn } from '../../page-kit/return-path.ts'
import { authorizationOf, decisionForm, describeAccess, readDecision } from './access-question.ts'

/** Takes the code that a device shows, and asks the user to allow the device its scopes. */
export const devicePage: Page = {
  show(request, parts) {
    parts.authorize(signedIn)
    // A link may contain the code, but only the user submits it, after a look at the device (RFC 8628 §5.4).
    return askForCode(parts, { userCode: readCode(queryParameter(request.target, 'user_code')) })
  },
  async take(request, parts) {
    const form = await readForm(request)
    const userCode = readCode(form?.get('user_code'))
    if (userCode === '') return askForCode(parts, { userCode, refused: 'incomplete' })
    return findDevice(request, parts, { userCode })
  },
}

/** Takes the answer of the user. */
export const deviceDecision: Page = {
  async take(request, parts) {
    const form = await readForm(request)
    const [userCode, token] = [readCode(form?.get('user_code')), form?.get('token') ?? null]
    const decision = readDecision(form)
    if (!decision) return findDevice(request, parts, { userCode, refused: 'undecided' })
    const decided = await authorizationOf(parts).decideDevice(request, { userCode, token, decision })
    if (decided.ok) return redirect(parts.frame, decision === 'allow' ? '/device/allowed' : '/device/denied')
    if (decided.reason === 'token') return findDevice(request, parts, { userCode, refused: 'changed' })
    return refuseCode(parts, userCode, decided)
  },
}

export const deviceAllowed: Page = { show: (_request, parts) => sayDecided(parts, 'device-allowed') }
export const deviceDenied: Page = { show: (_request, parts) => sayDecided(parts, 'device-denied') }

/** Returns a code as devices show it, in two groups. Of anything else only as much is kept as can be shown again. */
function readCode(text: string | null | undefined): string {
  const typed = readTypedCode(text)
  return /^\w{0,32}$/.test(typed) ? typed.toUpperCase().replace(/^.{4}(?=.)/, '$&-') : ''
}

/** Redirects to the sign-in, which returns to this page with the code in its field. */
function leadToSignIn({ frame }: PageParts, userCode: string): HttpResponse {
  const path = userCode === '' ? '/device' : `/device?${new URLSearchParams({ user_code: userCode })}`
  return redirect(frame, withReturn('/sign-in', path))
}

const statuses = { wrong: 400, incomplete: 400, undecided: 400, changed: 403 } as const

interface CodeForm {
  readonly userCode: string
  readonly refused?: 'wrong' | 'incomplete'
}

function askForCode({ frame }: PageParts, { userCode, refused }: CodeForm): HttpResponse {
  const { texts } = frame
  const code = field({
    name: 'user_code',
    label: texts['device.code'],
    autocomplete: 'off',
    value: userCode,
    isWrong: refused !== undefined,
    isFirst: true,
  })
  const body = html`${problem(refused ? texts[`device.${refused}`] : null)}<p>${texts['device.why']}</p>
<form method="post" action="/device">
${code}<button type="submit">${texts['device.submit']}</button>
</form>`
  return createPage(frame, { status: refused ? statuses[refused] : 200, title: texts['device.title'], body })
}

interface DeviceQuestion {
  readonly userCode: string
  readonly refused?: 'undecided' | 'changed'
}

async function findDevice(request: HttpRequest, parts: PageParts, asked: DeviceQuestion): Promise<HttpResponse> {
  const found = await authorizationOf(parts).readDevice(request, asked.userCode)
  return found.ok ? askForConsent(parts, asked, found) : refuseCode(parts, asked.userCode, found)
}

function refuseCode(
  parts: PageParts,
  userCode: string,
  refusal: Extract<DeviceVerdict, { readonly ok: false }>,
): HttpResponse {
  if (refusal.reason === 'signed-out') return leadToSignIn(parts, userCode)
  if (refusal.reason === 'throttled') {
    throw new AccessError('RATE_LIMITED', { retryAfterSeconds: refusal.retryAfterSeconds })
  }
  // The same form once more, by a second click or from the history.
  if (refusal.reason === 'over') return sayDecided(parts, 'device-over')
  return askForCode(parts, { userCode, refused: 'wrong' })
}

async function askForConsent(
  { frame, accounts, identity }: PageParts,
  { userCode, refused }: DeviceQuestion,
  device: Extract<DeviceVerdict, { readonly ok: true }>,
): Promise<HttpResponse> {
  const { texts } = frame
  const account = identity && (await accounts.get(identity.subject))
  // The account was removed after the identity was established.
  if (!account) throw new AccessError('UNAUTHENTICATED')
  const code = html`<strong>${userCode}</strong>`
  const fields = { user_code: userCode, token: device.token }
  const body = html`${problem(refused ? texts[`consent.${refused}`] : null)}${describeAccess(frame, device, account)}<p>${fill(texts['device-consent.why'], { code })}</p>
${decisionForm(frame, { action: '/device/decision', fields })}`
  return createPage(frame, {
    status: refused ? statuses[refused] : 200,
    title: texts['device-consent.title'],
    body,
  })
}

function sayDecided({ frame }: PageParts, about: 'device-allowed' | 'device-denied' | 'device-over'): HttpResponse {
  const { texts } = frame
  return createPage(frame, { title: texts[`${about}.title`], body: html`<p>${texts[`${about}.text`]}</p>` })
}
