import type { TotpFactor } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import type { HttpResponse } from '@latchkey/http'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { type Html, html } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import { showCodes } from '../../page-kit/html/presented-codes.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { authenticatedRule } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { freshFactor, withFreshProof } from '../step-up/step-up.ts'

/** Shows the secret of an authenticator app once. It takes effect when one of its codes is entered. */
export const totpStart: Page = {
  take: (_request, parts) =>
    withFreshProof(
      parts,
      { rule: freshFactor(true, authenticatedRule), returnTo: '/account/totp', recoveryCode: true },
      async () => {
        const started = await parts.factorSession.startTotpEnrollment()
        // The session was revoked meanwhile.
        if (!started.ok) throw new AccessError('UNAUTHENTICATED')
        return showSecret(parts, started)
      },
    ),
}

/** Activates the authenticator app if its code is right, and shows the first recovery codes. */
export const totpConfirmation: Page = {
  async take(request, parts) {
    const { frame, authorize, factorSession } = parts
    authorize(authenticatedRule)
    const code = (await readForm(request))?.get('code') ?? ''
    if (code === '') return askForCode(parts, 'incomplete')
    const result = await factorSession.confirmTotpEnrollment(code)
    if (!result.ok) return askForCode(parts, 'wrong')
    return result.codes ? showCodes(frame, result.codes) : redirect(frame, '/account')
  },
}

function showSecret(
  parts: PageParts,
  { secret, otpauthUri, qrCodeSvg }: Awaited<ReturnType<TotpFactor['enroll']>>,
): HttpResponse {
  const { frame } = parts
  const { texts } = frame
  // As an image, its content can neither run scripts nor style the page.
  const picture = `data:image/svg+xml,${encodeURIComponent(qrCodeSvg)}`
  const body = html`<p>${texts['totp.scan']}</p>
<img class="qr" src="${picture}" alt="${texts['totp.qr']}">
<p>${texts['totp.type']}</p>
<pre tabindex="0" aria-label="${texts['totp.secret']}">${inGroups(secret)}</pre>
<p><a href="${otpauthUri}">${texts['totp.open']}</a></p>
${codeForm(parts, false)}<p><a href="/account">${texts['second-factor.back']}</a></p>`
  return createPage(frame, { title: texts['totp.title'], body })
}

const statuses = { wrong: 401, incomplete: 400 } as const

/** The secret was shown once: the app that has it shows the next code. */
function askForCode(parts: PageParts, refused: keyof typeof statuses): HttpResponse {
  const { frame } = parts
  const { texts } = frame
  const body = html`${problem(texts[`second-factor.${refused}`])}<p>${texts['totp.again']}</p>
${codeForm(parts, true)}<p><a href="/account/totp">${texts['totp.restart']}</a></p>`
  return createPage(frame, { status: statuses[refused], title: texts['totp.title'], body })
}

function codeForm({ frame: { texts } }: PageParts, isWrong: boolean): Html {
  const code = field({
    name: 'code',
    label: texts['second-factor.code'],
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    isWrong,
  })
  return html`<form method="post" action="/account/totp/confirm">
${code}<button type="submit">${texts['totp.confirm']}</button>
</form>
`
}

/** Read aloud and typed in groups of four. */
function inGroups(secret: string): string {
  return secret.replace(/.{4}(?=.)/g, '$& ')
}
