import type { HttpResponse } from '@latchkey/http'
import type { WaitingAuthorization } from '../../options/oauth/authorization-server.ts'
import { findAskingClient } from '../../page-kit/asking-client.ts'
import { responseBytes } from '../../page-kit/forms/passkey-part.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { forgetReached } from '../../page-kit/kept-return-to.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { readReturnTo, withReturn } from '../../page-kit/return-path.ts'
import { readPendingStep, writePendingStep } from '../../service/account-session/pending-step.ts'
import { isRemembering } from './remember-box.ts'
import { askForSecondFactor } from './second-factor-page.ts'
import { askToSignIn } from './sign-in-page.ts'

/** Returns what the script of a page asks the browser for, as JSON. */
export const passkeyStart: Page = {
  async take(request, parts) {
    const { frame, cookies, factorSession } = parts
    const form = await readForm(request)
    const pending = form?.get('step') === 'second-factor' ? readPendingStep(request, cookies) : null
    const started = await factorSession.startPasskeySignIn(pending?.challenge ?? null)
    const headers = [
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Cache-Control', 'no-store'],
      ...frame.security.api,
    ] as const
    return { status: started.ok ? 200 : 401, headers, body: JSON.stringify(started.ok ? started.options : {}) }
  },
}

/** Signs in by an authenticator's response, or completes the second step with it. */
export const passkeyForm: Page = {
  formBytes: responseBytes,
  async take(request, parts) {
    const { frame, cookies, factorSession, response } = parts
    const form = await readForm(request)
    const [credential, returnTo] = [form?.get('response') ?? '', readReturnTo(form?.get('return_to'), frame)]
    const isSecond = form?.get('step') === 'second-factor'
    const pending = isSecond ? readPendingStep(request, cookies) : null
    if (isSecond && !pending) return redirect(frame, withReturn('/sign-in', returnTo))
    const asking = await findAskingClient(request, parts, returnTo)
    const challenge = pending?.challenge ?? null
    const answer = { response: credential, challenge, delivery: 'SESSION', trustDevice: isRemembering(form) } as const
    const result = await factorSession.finishPasskeySignIn(answer)
    if (!result.ok) return refuse(parts, { pending, returnTo, asking })
    if (result.status === 'second-factor-required') {
      response.setCookie(cookies.challenge.write(writePendingStep(result)))
      return redirect(frame, withReturn('/second-factor', returnTo))
    }
    response.setCookie(cookies.challenge.clear())
    forgetReached(request, parts, returnTo)
    return redirect(frame, returnTo)
  },
}

interface Refused {
  readonly pending: ReturnType<typeof readPendingStep>
  readonly returnTo: string | null
  readonly asking: WaitingAuthorization | null
}

function refuse(parts: PageParts, { pending, returnTo, asking }: Refused): HttpResponse {
  return pending
    ? askForSecondFactor(parts, { pending, returnTo, asking, refused: 'passkey' })
    : askToSignIn(parts, { returnTo, asking, refused: 'passkey' })
}
