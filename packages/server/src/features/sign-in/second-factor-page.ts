import type { HttpResponse } from '@latchkey/http'
import { clientNotice, findAskingClient } from '../../page-kit/asking-client.ts'
import { type Destination, returnField } from '../../page-kit/destination.ts'
import { formPage, type RefusedProof } from '../../page-kit/forms/form-page.ts'
import { type PasskeyPart, passkeyPart } from '../../page-kit/forms/passkey-part.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { type Html, html, nothing } from '../../page-kit/html/html.ts'
import { forgetReached } from '../../page-kit/kept-return-to.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { queryParameter, readReturnTo, withReturn } from '../../page-kit/return-path.ts'
import { type PendingStep, readPendingStep } from '../../service/account-session/pending-step.ts'
import { isRemembering, rememberBox } from './remember-box.ts'

/** Takes the second factor of a sign-in or a step-up, then redirects to `return_to`. */
export const secondFactorPage: Page = {
  async show(request, parts) {
    const pending = readPendingStep(request, parts.cookies)
    const returnTo = readReturnTo(queryParameter(request.target, 'return_to'), parts.frame)
    if (!pending) return redirect(parts.frame, withReturn('/sign-in', returnTo))
    return askForSecondFactor(parts, { pending, returnTo, asking: await findAskingClient(request, parts, returnTo) })
  },
  async take(request, parts) {
    const { frame, cookies, factorSession, response } = parts
    const pending = readPendingStep(request, cookies)
    const form = await readForm(request)
    const [code, returnTo] = [form?.get('code') ?? '', readReturnTo(form?.get('return_to'), frame)]
    if (!pending) return redirect(frame, withReturn('/sign-in', returnTo))
    const asking = await findAskingClient(request, parts, returnTo)
    if (code === '') return askForSecondFactor(parts, { pending, returnTo, asking, refused: 'incomplete' })
    const trustDevice = isRemembering(form)
    const answer = { challenge: pending.challenge, code, delivery: 'SESSION', trustDevice } as const
    const { ok } = await factorSession.verifySecondFactor(answer)
    if (!ok) return askForSecondFactor(parts, { pending, returnTo, asking, refused: 'wrong' })
    response.setCookie(cookies.challenge.clear())
    forgetReached(request, parts, returnTo)
    return redirect(frame, returnTo)
  },
}

export interface SecondFactorForm extends Destination {
  readonly pending: PendingStep
  readonly refused?: RefusedProof
}

const noPasskey: PasskeyPart = { body: nothing }

export function askForSecondFactor(parts: PageParts, form: SecondFactorForm): HttpResponse {
  const { frame } = parts
  const { texts } = frame
  const { pending, returnTo, asking, refused } = form
  const takesPasskey = pending.factors.includes('passkey')
  const path = withReturn('/second-factor', returnTo)
  const box = takesCode(pending) ? nothing : rememberBox(parts)
  const passkey = takesPasskey ? passkeyPart(parts, { step: 'second-factor', returnTo, path, box }) : noPasskey
  const body = html`${problem(refused ? texts[`second-factor.${refused}`] : null)}<p>${texts[`second-factor.${reasonOf(parts, pending)}`]}</p>
${clientNotice(frame, asking, 'second-factor.client')}${takesCode(pending) ? codeForm(parts, form) : nothing}${passkey.body}${cancelLink(parts, form)}`
  return formPage(frame, { refused, asking, title: texts['second-factor.title'], body, script: passkey.script })
}

function reasonOf({ identity }: PageParts, { byPassword }: PendingStep): 'again' | 'why' | 'next' {
  if (identity) return 'again'
  return byPassword ? 'why' : 'next'
}

/** A signed-in user who answers the request of a client returns to that request. */
function cancelLink({ frame: { texts }, identity }: PageParts, { returnTo, asking }: SecondFactorForm): Html {
  const isBack = identity !== null && asking === null
  const path = isBack ? '/account' : withReturn('/sign-in', returnTo)
  return html`<p><a href="${path}">${texts[isBack ? 'second-factor.back' : 'second-factor.restart']}</a></p>`
}

function takesCode({ factors }: PendingStep): boolean {
  return factors.includes('totp') || factors.includes('recovery-code')
}

function codeForm(parts: PageParts, { pending, returnTo, refused }: SecondFactorForm): Html {
  const { texts } = parts.frame
  const isRecoverable = pending.factors.includes('recovery-code')
  const hasApp = pending.factors.includes('totp')
  const code = field({
    name: 'code',
    label: texts[hasApp ? 'second-factor.code' : 'second-factor.recovery-code'],
    autocomplete: 'one-time-code',
    // Recovery codes contain letters.
    inputmode: isRecoverable ? 'text' : 'numeric',
    ...(hasApp && isRecoverable && { hint: texts['second-factor.hint'] }),
    isWrong: refused === 'wrong' || refused === 'incomplete',
    isFirst: refused === undefined,
  })
  return html`<form method="post" action="/second-factor">
${returnField(returnTo)}${code}${rememberBox(parts)}<button type="submit">${texts['second-factor.submit']}</button>
</form>
`
}
